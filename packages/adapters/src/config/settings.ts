import { mounts } from './mounts.ts'
import { processCount } from './process-count.ts'
import { serverList } from './servers/server-list.ts'
import {
  bitrate,
  choice,
  contact,
  embedders,
  flag,
  hostNames,
  integer,
  keyPrefix,
  like,
  mailAddresses,
  mailServer,
  numberOrOff,
  origins,
  type Setting,
  sender,
  text,
  timeZone,
  webAddress,
} from './setting.ts'

const streamBitrates = [64, 96, 128, 160, 192, 256, 320] as const
/** Names of the payment services, in the order of `paymentProviderIds`. */
export const paymentServices = ['liqpay', 'stripe', 'donatello', 'kofi'] as const

/** Settings grouped under one title in `.env.example` and in the operator's guide. */
export interface Section {
  title: string
  settings: Record<string, Setting<unknown>>
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const mediaStorage = choice(
  ['local', 'cloud'],
  'local',
  'Storage of music and pictures: a folder, or an S3 bucket, which requires `S3_ENDPOINT`, `S3_BUCKET`, `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`.',
)
/** A limit; 0 turns it off. */
const limit = (fallback: number, effect: string) => integer(fallback, { min: 0 }, effect)

const required = {
  JWT_SECRET: text('', 'at least 32 random characters in production', 'Signs admin tokens.'),
  ADMIN_LOGIN: like(text('', 'a name', ''), { example: 'admin', effect: 'Login of the super admin.' }),
  ADMIN_PASS: text(
    '',
    'an argon2id or bcrypt hash, or plain text',
    'Password of the super admin. `npm run station -- hash-password` creates the hash.',
  ),
}

const core = {
  NODE_ENV: text(
    'development',
    '`production` or anything else',
    'In production the secrets above are required, and tokens are sent in secure cookies only, so the station needs HTTPS.',
  ),
  PORT: integer(3001, { min: 0, max: 65_535 }, 'Port for HTTP and WebSockets; 0 picks a free one.'),
  HOST: text('0.0.0.0', 'an address', 'Address to listen on.'),
  API_PROCESSES: processCount(
    'Number of processes that share the work of the API behind this port, each on a core of its own; `auto` starts one per core.',
  ),
  REDIS_URL: text(
    'redis://127.0.0.1:6379',
    'a redis:// or rediss:// address',
    'Your own Redis. If unset, `npm start` runs one that stores its data in `DATA_DIR/redis`.',
  ),
  REDIS_SENTINELS: serverList(
    26_379,
    'Sentinels that know which Redis is the primary; `REDIS_URL` then gives user, password and database, and its host is not used. With rediss:// the sentinels are reached by TLS as well.',
  ),
  REDIS_SENTINEL_NAME: text('solstice', 'a name', 'Name of the group of Redis servers at the sentinels.'),
  REDIS_SENTINEL_PASSWORD: text('', 'a password', 'Password of the sentinels themselves, if they have one.'),
  CLIENT_ORIGIN: origins(
    'http://localhost:3000,http://localhost:5173,http://localhost:4173',
    'Other sites whose pages may use the API. The default in production is none; an empty value means none everywhere.',
  ),
  EMBED_ORIGINS: embedders(
    'Sites that may show the player (`/embed`) in a frame; `*` = all sites. An empty value means only the station itself. Other pages of the station are never framed elsewhere, and `<solstice-player>` needs no permission.',
  ),
  PUBLIC_SERVER_URL: webAddress(
    '',
    'Public address of this station. Without it, pages open only by IP address, as `localhost`, or by the name of this machine.',
  ),
  TRUST_PROXY_HOPS: integer(
    0,
    { min: 0, max: 5 },
    'Number of trusted proxies in front that set `X-Forwarded-For`; 1 behind a single load balancer.',
  ),
  ART_TOKEN_SECRET: text(
    '',
    'at least 32 random characters in production',
    'Signs artwork and audio tokens. Derived from `JWT_SECRET` if unset.',
  ),
  ART_TOKEN_TTL_S: integer(3600, { min: 60, max: 86_400 }, 'Lifetime of an artwork token, in seconds.'),
  AUDIO_TOKEN_TTL_S: integer(900, { min: 60, max: 43_200 }, 'Lifetime of an audio token, in seconds.'),
  LOG_LEVEL: choice(logLevels, 'info', 'Lowest level of log lines that are written.'),
  METRICS_TOKEN: text(
    '',
    'any text',
    'Bearer token for reading metrics. If unset, only programs on the same machine can read them, and not through a proxy.',
  ),
  METRICS_PORT: integer(
    0,
    { min: 0, max: 65_535 },
    'Port on which the stream worker and the jobs process serve their metrics; 0 turns it off. With `npm start` the jobs process uses the next port. The API serves its own metrics at `/metrics`.',
  ),
  MONITOR_URLS: origins(
    '',
    'Addresses at which the jobs process, or `npm run start:monitor`, listens to all streams as a stranger does, and raises alarms: that of each replica. `PUBLIC_SERVER_URL` comes in addition. None turns it off. It counts as a listener of each stream. Requires `STREAM_MODE` and an MP3 as the first stream.',
  ),
  METRICS_HOST: text('127.0.0.1', 'an address', 'Address to serve those metrics on.'),
  DRAIN_DELAY_S: integer(
    0,
    { min: 0, max: 60 },
    'Seconds for which a stopping API still accepts connections while `/readyz` already reports that it is not ready, so that load balancers notice.',
  ),
  WEB_DIST: text(
    '',
    'a folder',
    'Web client built elsewhere. If unset, the one built by `npm start` is served.',
  ),
}

const radio = {
  TIME_ZONE: timeZone(
    'Europe/Kyiv',
    'Time zone of the station, used for the day and night programmes, the daily purge and quotas.',
  ),
  NIGHT_MODE: flag(true, '`false`: the station has only the day programme.'),
  DAY_START_HOUR: integer(6, { min: 0, max: 23 }, 'Hour at which the day programme begins.'),
  NIGHT_START_HOUR: integer(0, { min: 0, max: 23 }, 'Hour at which the night programme begins.'),
  STREAM_MODE: flag(
    false,
    '`true`: endless public streams for any player (`STREAM_MOUNTS`). `false`: browsers play the files in sync with each other.',
  ),
  STREAM_BITRATE: choice(streamBitrates, 192, 'Bit rate of the stream, in kbit/s.'),
  STREAM_MOUNTS: mounts(
    'Streams that are offered at once, each encoded by itself: the first is `/api/stream/public.mp3`, the others `/api/stream/public-64.mp3`, `/api/stream/public-64.aac`, `/api/stream/public-64.opus` and so on. Empty: one MP3 at `STREAM_BITRATE`, which is otherwise ignored.',
  ),
  CROSSFADE_MS: integer(
    0,
    { min: 0, max: 10_000 },
    'Crossfade between tracks in the stream, in milliseconds; 0 plays them gapless.',
  ),
  LOUDNESS_TARGET_LUFS: numberOrOff(
    -16,
    { min: -30, max: -8 },
    'Target loudness of measured tracks, in LUFS; peaks never exceed −1 dBTP. `off` plays files unchanged.',
  ),
  TRIM_SILENCE: flag(true, '`false`: keeps the silence at the start and end of tracks in the stream.'),
  FFMPEG_PATH: text(
    'ffmpeg',
    'a program',
    'The ffmpeg that encodes the stream, measures tracks and makes the demo library.',
  ),
  RADIO_HOSTS_MODE: flag(false, '`true`: hosts may go live. Requires `STREAM_MODE`.'),
  MAX_LIVE_HOST_SLOTS: integer(
    1,
    { min: 0 },
    'Maximum number of hosts and guests on air at once; at most two of them are hosts.',
  ),
  ROSTER_LIMIT: integer(100, { min: 1 }, 'Maximum number of names in the list of current listeners.'),
  DEMO_LIBRARY: flag(
    true,
    '`false`: leaves an empty library empty instead of filling it with synthesised tracks.',
  ),
  LYRICS_API_URL: webAddress(
    'https://lrclib.net/api',
    'Lyrics service with the LRCLIB API. An empty value turns lookups off.',
  ),
  LYRICS_PREFETCH: flag(
    false,
    '`true`: looks up the lyrics of all tracks in the background, one every 10 seconds.',
  ),
}

const stores = {
  DATA_PROVIDER: choice(
    ['json', 'sql'],
    'json',
    'Storage of records: `json` files, if all processes run on one machine, or `sql` for PostgreSQL.',
  ),
  DATA_DIR: text('./data', 'a folder', 'Folder for those files.'),
  DATABASE_URL: like(text('', 'a postgres:// address', ''), {
    example: 'postgres://user:password@127.0.0.1:5432/solstice',
    effect:
      'A PostgreSQL database (13 or newer, UTF8) used by the station alone; required with `sql`. Tables are created at start. Of several hosts (`postgres://user:password@one:5432,two:5432/solstice?target_session_attrs=read-write`) the one that accepts writes is used. PgBouncer is not supported: it rejects the timeouts that each connection sets.',
  }),
  DATABASE_POOL_MAX: integer(10, { min: 2, max: 100 }, 'Maximum number of database connections per process.'),
  MEDIA_STORAGE: mediaStorage,
  MUSIC_SOURCE: like(mediaStorage, {
    example: '',
    effect: 'Older name of `MEDIA_STORAGE`, used if that is unset.',
  }),
  MEDIA_DIR: text(
    './media',
    'a folder',
    'Folder for music (`music/day`, `music/night`) and pictures (`arts`, `covers`).',
  ),
  S3_ENDPOINT: text('', 'an http:// or https:// address', 'Address of the S3 service.'),
  S3_BUCKET: text('', 'a name', 'Name of an existing bucket.'),
  S3_ACCESS_KEY_ID: text(
    '',
    'a key',
    'Access key with permission to read, write, delete and list objects in the bucket.',
  ),
  S3_SECRET_ACCESS_KEY: text('', 'a secret', 'Secret of that access key.'),
  S3_REGION: text('auto', 'a name', 'Region for signing requests.'),
  S3_FORCE_PATH_STYLE: flag(
    true,
    '`false`: names the bucket in the host (`bucket.s3.example`) rather than in the path.',
  ),
  S3_PUBLIC_ENDPOINT: webAddress(
    '',
    'Address of the S3 service for browsers, if it differs from `S3_ENDPOINT`.',
  ),
  S3_PRESIGN_TTL_S: integer(
    900,
    { min: 60, max: 604_800 },
    'Lifetime of links to files, in seconds; a link to a song is valid for at least the length of the song.',
  ),
  S3_ARTS_PREFIX: keyPrefix('arts', 'Key prefix of pictures in the bucket.'),
  EPHEMERAL_STORAGE: flag(
    false,
    '`true`: files do not survive a restart, so features that write files are off.',
  ),
  CONFIRM_TRACK_CLEANUP: flag(
    false,
    '`true`: removes tracks whose file is gone from the library at start, or, with a bucket, on `npm run station -- scan`.',
  ),
  AIRCHECK_DAYS: integer(
    0,
    { min: 0, max: 366 },
    'Days to keep a recording of the broadcast (stream mode), in `aircheck/` of the media storage: about 2 GB a day at 192 kbit/s; and, in both modes, the logbook of what decided it, in `logbook/`: a few MB a day, with 10 000 tracks some 20 MB. 0 keeps neither.',
  ),
  LOG_RETENTION_DAYS: integer(7, { min: 1 }, 'Days to keep the audit log and the play history.'),
  LOG_PURGE_HOUR: integer(
    4,
    { min: 0, max: 23 },
    'Hour of the daily purge, which also resets the delete quota.',
  ),
}

const limits = {
  LOGIN_ATTEMPTS_PER_15_MIN: limit(10, 'Login attempts per IP address in 15 minutes.'),
  DELETE_QUOTA_PER_DAY: limit(30, 'Tracks that a helper admin may delete per day.'),
  MODE_SWITCH_COOLDOWN_S: limit(1800, 'Seconds between two manual switches of the programme.'),
  GROUP_INSERT_COOLDOWN_S: limit(600, 'Seconds between two song groups added to the queue.'),
  QUEUE_ADD_COOLDOWN_S: limit(30, 'Seconds between two songs that admins add to the queue.'),
  QUEUE_REMOVE_COOLDOWN_S: limit(30, 'Seconds between two songs that admins remove from the queue.'),
  QUEUE_SKIP_COOLDOWN_S: limit(30, 'Seconds between two skips.'),
  SUGGEST_COOLDOWN_S: limit(300, 'Seconds between two song requests of a listener.'),
  SUGGEST_EXPIRY_S: limit(300, 'Seconds until an unanswered song request expires.'),
  GUEST_REQUEST_EXPIRY_S: limit(60, 'Seconds until an unanswered request to go on air expires.'),
  GUEST_REQUEST_COOLDOWN_S: limit(600, 'Seconds until that guest may ask again.'),
  PREPARING_MIN_S: limit(3, 'Minimum duration of a switch of the programme, in seconds.'),
}

const video = {
  VIDEODOWN_PATH: text(
    '',
    'a program',
    'yt-dlp, or a program that takes the same arguments. If unset, it is looked up in `PATH`. Both the API and the jobs process need it, and ffmpeg.',
  ),
  VIDEO_SITE_HOSTS: hostNames(
    'youtube.com,youtu.be,music.youtube.com',
    'Hosts allowed in video links, including their subdomains. Cookies must belong to the first one.',
  ),
  VIDEO_AUDIO_BITRATE: bitrate('128K', { min: 32, max: 320 }, 'Bit rate of the resulting MP3, in bit/s.'),
}

const donations = {
  DONATIONS_ENABLED: flag(false, '`true`: listeners can pay for songs through the service below.'),
  DONATIONS_PROVIDER: text(
    '',
    paymentServices.map((service) => `\`${service}\``).join(', '),
    'Payment service for new orders. The other services stay active if all their values are set, so that payments through a former one still arrive. Register these webhooks: `<PUBLIC_SERVER_URL>/webhooks/donations/checkout_provider_2` (stripe: checkout.session.completed) and `…/matching_provider_2` (kofi). liqpay gets its address with each order, and donatello is polled.',
  ),
  LIQPAY_PUBLIC_KEY: text('', 'a key', 'Public key of LiqPay, which also requires `PUBLIC_SERVER_URL`.'),
  LIQPAY_PRIVATE_KEY: text('', 'a key', 'Private key of LiqPay; signs the messages in both directions.'),
  LIQPAY_API_URL: webAddress('https://www.liqpay.ua/api/3/checkout', 'Address of the LiqPay checkout.'),
  STRIPE_SECRET_KEY: text('', 'a key', 'Secret key of the Stripe API.'),
  STRIPE_WEBHOOK_SECRET: text('', 'a secret', 'Signing secret of the Stripe webhook.'),
  STRIPE_API_URL: webAddress(
    'https://api.stripe.com',
    'Address of the Stripe API; only scheme, host and port are used.',
  ),
  DONATELLO_API_TOKEN: text('', 'a token', 'Token of the Donatello API.'),
  DONATELLO_PAGE_URL: webAddress('', 'Donatello page where listeners donate.'),
  DONATELLO_API_URL: webAddress('https://donatello.to/api/v1', 'Address of the Donatello API.'),
  DONATELLO_POLL_INTERVAL_S: integer(30, { min: 10 }, 'Seconds between two polls of Donatello.'),
  KOFI_VERIFICATION_TOKEN: text('', 'a token', 'Token of the Ko-fi webhook.'),
  KOFI_PAGE_URL: webAddress('', 'Ko-fi page where listeners donate.'),
  DONATION_MATCH_EXPIRY_MIN: integer(
    15,
    { min: 3, max: 60 },
    'Minutes within which a donation with the code of an order pays for it (donatello, kofi).',
  ),
  DONATION_RETENTION_DAYS: integer(365, { min: 7, max: 3650 }, 'Days to keep donations.'),
}

const notifications = {
  WEB_PUSH: flag(
    true,
    '`false`: listeners cannot ask to be told, by a notification of their browser, when the song that they asked or paid for is next.',
  ),
  VAPID_PUBLIC_KEY: text(
    '',
    'a P-256 key, base64url',
    'Public key that push services know the station by. Without it a pair is made once and kept with the records. With another key, browsers have to be asked again.',
  ),
  VAPID_PRIVATE_KEY: text('', 'a P-256 key, base64url', 'The private key to it.'),
  VAPID_SUBJECT: contact(
    'Contact for push services that have a question. `PUBLIC_SERVER_URL` if unset; Apple accepts no other than a real one.',
  ),
  PUSH_SERVICE_HOSTS: hostNames(
    'fcm.googleapis.com,updates.push.services.mozilla.com,push.apple.com,notify.windows.com',
    'Hosts to which messages are sent, including their subdomains: the push services of the browsers.',
  ),
}

const webhooks = {
  WEBHOOK_LOCAL_HOSTS: hostNames(
    '',
    'Hosts of your own network that webhooks may go to, by http as well and at any port. All other webhooks go by https to public addresses.',
  ),
}

const mail = {
  SMTP_URL: mailServer(
    'Mail server through which e-mails go. A password is sent encrypted only, except to this machine.',
  ),
  SMTP_FROM: sender('Sender of e-mails.'),
  ALARM_EMAILS: mailAddresses(
    'Who is told by e-mail of alarms and of paid songs that found no place. Requires the two above.',
  ),
}

/** All environment variables that the processes read: the single source of names, defaults, limits and effects. */
export const settings = {
  ...required,
  ...core,
  ...radio,
  ...stores,
  ...limits,
  ...video,
  ...donations,
  ...notifications,
  ...webhooks,
  ...mail,
}

export const sections: readonly Section[] = [
  {
    title: 'Required in production; elsewhere generated once and kept in DATA_DIR/secrets.json',
    settings: required,
  },
  { title: 'Core', settings: core },
  { title: 'Radio', settings: radio },
  { title: 'Data and media', settings: stores },
  { title: 'Limits; 0 turns one off', settings: limits },
  { title: 'Songs from video links', settings: video },
  { title: 'Donations', settings: donations },
  { title: 'Notifications', settings: notifications },
  { title: 'Webhooks', settings: webhooks },
  { title: 'E-mail', settings: mail },
]

export type SettingName = keyof typeof settings
export type ValueOf<N extends SettingName> = (typeof settings)[N]['fallback']
