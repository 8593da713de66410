import {
  bitrate,
  choice,
  flag,
  hostNames,
  integer,
  keyPrefix,
  like,
  numberOrOff,
  origins,
  type Setting,
  text,
  timeZone,
  webAddress,
} from './setting.ts'

const streamBitrates = [64, 96, 128, 160, 192, 256, 320] as const
/** The payment services' own names, in the order of the ids that the wire has for them. */
export const paymentServices = ['liqpay', 'stripe', 'donatello', 'kofi'] as const

/** Settings that belong together in `.env.example` and in the operator's guide. */
export interface Section {
  title: string
  settings: Record<string, Setting<unknown>>
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const mediaStorage = choice(
  ['local', 'cloud'],
  'local',
  'Where music and pictures are kept: in a folder, or in an S3 bucket (then all of `S3_ENDPOINT` to `S3_SECRET_ACCESS_KEY` are needed).',
)
/** A limit that 0 turns off. */
const limit = (fallback: number, effect: string) => integer(fallback, { min: 0 }, effect)

const required = {
  JWT_SECRET: text('', 'in production at least 32 random characters', 'Signs the tokens of admins.'),
  ADMIN_LOGIN: like(text('', 'a name', ''), { example: 'admin', effect: 'Login of the super admin.' }),
  ADMIN_PASS: text(
    '',
    'an argon2id or bcrypt hash, or plain text',
    'Password of the super admin. `npm run station -- hash-password` makes the hash of one.',
  ),
}

const core = {
  NODE_ENV: text(
    'development',
    '`production` or anything else',
    'In production the secrets above are required, and tokens travel in secure cookies only, which needs HTTPS.',
  ),
  PORT: integer(3001, { min: 0, max: 65_535 }, 'Port of HTTP and sockets; 0 picks a free one.'),
  HOST: text('0.0.0.0', 'an address', 'Address to listen on.'),
  REDIS_URL: text(
    'redis://127.0.0.1:6379',
    'a redis:// or rediss:// address',
    'Your own Redis. When it is unset, `npm start` runs one that keeps its data in `DATA_DIR/redis`.',
  ),
  CLIENT_ORIGIN: origins(
    'http://localhost:3000,http://localhost:5173,http://localhost:4173',
    'Other sites whose pages may use the API. In production there are none by default; set but empty, there are none anywhere.',
  ),
  PUBLIC_SERVER_URL: webAddress(
    '',
    'Address under which the public reaches this station. Without it pages have to be opened by an address, as `localhost` or by the name of this machine.',
  ),
  TRUST_PROXY_HOPS: integer(
    0,
    { min: 0, max: 5 },
    'Number of proxies in front whose `X-Forwarded-For` is believed; 1 behind one load balancer.',
  ),
  ART_TOKEN_SECRET: text(
    '',
    'in production at least 32 random characters',
    'Signs the tokens for artwork and audio. Derived from `JWT_SECRET` when unset.',
  ),
  ART_TOKEN_TTL_S: integer(3600, { min: 60, max: 86_400 }, 'Lifetime of an artwork token, in seconds.'),
  AUDIO_TOKEN_TTL_S: integer(900, { min: 60, max: 43_200 }, 'Lifetime of an audio token, in seconds.'),
  LOG_LEVEL: choice(logLevels, 'info', 'How much is logged.'),
  METRICS_TOKEN: text(
    '',
    'any text',
    'Bearer token for reading metrics. When unset, only programs on the same machine can read them, and not through a proxy.',
  ),
  METRICS_PORT: integer(
    0,
    { min: 0, max: 65_535 },
    'Port where the stream worker and the jobs serve their metrics; 0 turns it off. `npm start` gives the jobs the next port. The API serves its own at `/metrics`.',
  ),
  METRICS_HOST: text('127.0.0.1', 'an address', 'Address for that port.'),
  DRAIN_DELAY_S: integer(
    0,
    { min: 0, max: 60 },
    'Seconds during which a stopping API still accepts connections while `/readyz` already says no, for load balancers that poll it.',
  ),
  WEB_DIST: text(
    '',
    'a folder',
    'Web pages built elsewhere. When unset, those that `npm start` builds are served.',
  ),
}

const radio = {
  TIME_ZONE: timeZone(
    'Europe/Kyiv',
    'Time zone of the station: for day and night, the daily purge and quotas.',
  ),
  NIGHT_MODE: flag(true, '`false`: there is only the day programme.'),
  DAY_START_HOUR: integer(6, { min: 0, max: 23 }, 'Hour at which the day programme begins.'),
  NIGHT_START_HOUR: integer(0, { min: 0, max: 23 }, 'Hour at which the night programme begins.'),
  STREAM_MODE: flag(
    false,
    '`true`: one public MP3 stream for any player. `false`: browsers play the files in step with each other.',
  ),
  STREAM_BITRATE: choice(streamBitrates, 192, 'Bit rate of the stream, in kbit/s.'),
  CROSSFADE_MS: integer(
    0,
    { min: 0, max: 10_000 },
    'Overlap of tracks in the stream, in milliseconds; 0 is gapless.',
  ),
  LOUDNESS_TARGET_LUFS: numberOrOff(
    -16,
    { min: -30, max: -8 },
    'Loudness at which measured tracks are played, in LUFS, never above −1 dBTP. `off` plays files as loud as they are.',
  ),
  TRIM_SILENCE: flag(true, '`false`: silence at the start and the end of tracks is part of the stream, too.'),
  FFMPEG_PATH: text(
    'ffmpeg',
    'a program',
    'ffmpeg: for the stream, for measuring tracks and for the demo library.',
  ),
  RADIO_HOSTS_MODE: flag(false, '`true`: hosts may go live. Needs `STREAM_MODE`.'),
  MAX_LIVE_HOST_SLOTS: integer(
    1,
    { min: 0 },
    'Hosts and guests on the air together; of these, two hosts at most.',
  ),
  ROSTER_LIMIT: integer(100, { min: 1 }, 'Listeners named in the list of those who are here.'),
  DEMO_LIBRARY: flag(
    true,
    '`false`: an empty library stays empty instead of being filled with synthesised pieces.',
  ),
  LYRICS_API_URL: webAddress(
    'https://lrclib.net/api',
    'Lyrics service that speaks the LRCLIB protocol. Set but empty, it turns lookups off.',
  ),
  LYRICS_PREFETCH: flag(
    false,
    '`true`: lyrics of all tracks are looked up in the background, one every 10 seconds.',
  ),
}

const stores = {
  DATA_PROVIDER: choice(
    ['json', 'sql'],
    'json',
    'Where records are kept: in files, for the processes of one machine, or in PostgreSQL.',
  ),
  DATA_DIR: text('./data', 'a folder', 'Folder of those files.'),
  DATABASE_URL: like(text('', 'a postgres:// address', ''), {
    example: 'postgres://user:password@127.0.0.1:5432/solstice',
    effect:
      'A PostgreSQL database (13 or newer, UTF8) of the station’s own, required with `sql`; tables are made at start. PgBouncer will not do: it refuses the time limits that each connection brings.',
  }),
  DATABASE_POOL_MAX: integer(10, { min: 2, max: 100 }, 'Connections that each process may open.'),
  MEDIA_STORAGE: mediaStorage,
  MUSIC_SOURCE: like(mediaStorage, {
    example: '',
    effect: 'Older name of `MEDIA_STORAGE`, used when that is unset.',
  }),
  MEDIA_DIR: text(
    './media',
    'a folder',
    'Folder of music (`music/day`, `music/night`) and pictures (`arts`).',
  ),
  S3_ENDPOINT: text('', 'an http:// or https:// address', 'Address of the S3 service.'),
  S3_BUCKET: text('', 'a name', 'The bucket, which has to exist.'),
  S3_ACCESS_KEY_ID: text('', 'a key', 'A key that may read, write, delete and list in the bucket.'),
  S3_SECRET_ACCESS_KEY: text('', 'a secret', 'The secret of that key.'),
  S3_REGION: text('auto', 'a name', 'Region that requests are signed for.'),
  S3_FORCE_PATH_STYLE: flag(
    true,
    '`false`: the bucket is named in the host (`bucket.s3.example`) rather than in the path.',
  ),
  S3_PUBLIC_ENDPOINT: webAddress('', 'Address of the S3 service for browsers, when it differs from ours.'),
  S3_PRESIGN_TTL_S: integer(
    900,
    { min: 60, max: 604_800 },
    'Lifetime of links to files, in seconds; links to songs live at least as long as the song.',
  ),
  S3_ARTS_PREFIX: keyPrefix('arts', 'Where in the bucket pictures are kept.'),
  EPHEMERAL_STORAGE: flag(
    false,
    '`true`: files do not survive a restart here, so features that would write them are off.',
  ),
  CONFIRM_TRACK_CLEANUP: flag(
    false,
    '`true`: tracks whose file is gone are removed from the library at start; those of a bucket at `npm run station -- scan`.',
  ),
  LOG_RETENTION_DAYS: integer(7, { min: 1 }, 'Days for which the audit log and the play history are kept.'),
  LOG_PURGE_HOUR: integer(
    4,
    { min: 0, max: 23 },
    'Hour of the daily purge, at which the delete quota begins anew.',
  ),
}

const limits = {
  LOGIN_ATTEMPTS_PER_15_MIN: limit(10, 'Logins that one address may try in 15 minutes.'),
  DELETE_QUOTA_PER_DAY: limit(30, 'Tracks that a helper admin may delete in a day.'),
  MODE_SWITCH_COOLDOWN_S: limit(1800, 'Seconds between two switches of the programme by hand.'),
  GROUP_INSERT_COOLDOWN_S: limit(600, 'Seconds between two song groups added to the queue.'),
  QUEUE_ADD_COOLDOWN_S: limit(30, 'Seconds between two songs that admins add to the queue.'),
  QUEUE_REMOVE_COOLDOWN_S: limit(30, 'Seconds between two songs that admins remove from the queue.'),
  QUEUE_SKIP_COOLDOWN_S: limit(30, 'Seconds between two skips.'),
  SUGGEST_COOLDOWN_S: limit(300, 'Seconds between two song requests of a listener.'),
  SUGGEST_EXPIRY_S: limit(300, 'Seconds until an unanswered song request expires.'),
  GUEST_REQUEST_EXPIRY_S: limit(60, 'Seconds until an unanswered request to come on the air expires.'),
  GUEST_REQUEST_COOLDOWN_S: limit(600, 'Seconds until such a guest may ask again.'),
  PREPARING_MIN_S: limit(3, 'Seconds that a switch of the programme takes at least.'),
}

const video = {
  VIDEODOWN_PATH: text(
    '',
    'a program',
    'yt-dlp, or a program that takes the same arguments. Looked for in `PATH` when unset. It and ffmpeg have to be where the API and the jobs run.',
  ),
  VIDEO_SITE_HOSTS: hostNames(
    'youtube.com,youtu.be,music.youtube.com',
    'Hosts, with their subdomains, that video links may name. Cookies have to be those of the first.',
  ),
  VIDEO_AUDIO_BITRATE: bitrate('128K', { min: 32, max: 320 }, 'Bit rate of the MP3 that is made, in bit/s.'),
}

const donations = {
  DONATIONS_ENABLED: flag(false, '`true`: songs can be paid for, through the service below.'),
  DONATIONS_PROVIDER: text(
    '',
    paymentServices.map((service) => `\`${service}\``).join(', '),
    'The service for new orders. The others count as well when all their values are set, so that payments made through a former one are still noticed. Their webhooks are `<PUBLIC_SERVER_URL>/webhooks/donations/checkout_provider_2` (stripe: checkout.session.completed) and `…/matching_provider_2` (kofi); liqpay is told with each order, donatello is polled.',
  ),
  LIQPAY_PUBLIC_KEY: text('', 'a key', 'LiqPay; needs `PUBLIC_SERVER_URL`.'),
  LIQPAY_PRIVATE_KEY: text('', 'a key', 'Signs what LiqPay and the station tell each other.'),
  LIQPAY_API_URL: webAddress('https://www.liqpay.ua/api/3/checkout', 'Checkout of LiqPay.'),
  STRIPE_SECRET_KEY: text('', 'a key', 'Stripe.'),
  STRIPE_WEBHOOK_SECRET: text('', 'a secret', 'Signs what Stripe tells the station.'),
  STRIPE_API_URL: webAddress('https://api.stripe.com', 'API of Stripe; only scheme, host and port are used.'),
  DONATELLO_API_TOKEN: text('', 'a token', 'Token of the Donatello API.'),
  DONATELLO_PAGE_URL: webAddress('', 'Donatello page where listeners donate.'),
  DONATELLO_API_URL: webAddress('https://donatello.to/api/v1', 'API of Donatello.'),
  DONATELLO_POLL_INTERVAL_S: integer(30, { min: 10 }, 'Seconds between two looks at Donatello.'),
  KOFI_VERIFICATION_TOKEN: text('', 'a token', 'Token of the Ko-fi webhook.'),
  KOFI_PAGE_URL: webAddress('', 'Ko-fi page where listeners donate.'),
  DONATION_MATCH_EXPIRY_MIN: integer(
    15,
    { min: 3, max: 60 },
    'Minutes for which the code of an order is looked for in donations (donatello, kofi).',
  ),
  DONATION_RETENTION_DAYS: integer(365, { min: 7, max: 3650 }, 'Days for which donations are kept.'),
}

/** Every environment variable that the processes read: the one place that knows names, defaults, limits and effects. */
export const settings = { ...required, ...core, ...radio, ...stores, ...limits, ...video, ...donations }

export const sections: readonly Section[] = [
  {
    title: 'Required in production; elsewhere made once and kept in DATA_DIR/secrets.json',
    settings: required,
  },
  { title: 'Core', settings: core },
  { title: 'Radio', settings: radio },
  { title: 'Data and media', settings: stores },
  { title: 'Limits; 0 turns one off', settings: limits },
  { title: 'Songs from video links', settings: video },
  { title: 'Donations', settings: donations },
]

export type SettingName = keyof typeof settings
export type ValueOf<N extends SettingName> = (typeof settings)[N]['fallback']
