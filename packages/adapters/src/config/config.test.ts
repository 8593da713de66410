import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import t from 'tap'
import { ConfigError, readConfig } from './config.ts'

const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c29tZSBzYWx0IGhlcmU$aGFzaCBvZiAzMiBieXRlcyBoYXNoIG9mIDMyIGJ5dGU'

const secrets = {
  JWT_SECRET: 'a secret of this test',
  ART_TOKEN_SECRET: 'another secret, of listeners in this test',
  ADMIN_LOGIN: 'admin',
  ADMIN_PASS: HASH,
}

const read = (env: Record<string, string>) => readConfig({ ...secrets, ...env })

const problems = (env: Record<string, string>) => {
  try {
    return read(env) && []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const bucket = {
  MEDIA_STORAGE: 'cloud',
  S3_ENDPOINT: 'https://s3.example/',
  S3_BUCKET: 'radio',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}

t.test('with secrets only, the defaults are as documented and there is no warning', async (t) => {
  const { config, warnings } = read({})
  t.same(warnings, [])
  t.match(config, {
    isProduction: false,
    port: 3001,
    host: '0.0.0.0',
    apiProcesses: 1,
    clientOrigins: ['http://localhost:3000', 'http://localhost:5173', 'http://localhost:4173'],
    embedOrigins: [],
    publicServerUrl: '',
    trustProxyHops: 0,
    redis: 'redis://127.0.0.1:6379',
    artTokenTtlS: 3600,
    audioTokenTtlS: 900,
    dataProvider: 'json',
    database: null,
    mediaStorage: 'local',
    ephemeralStorage: false,
    confirmTrackCleanup: false,
    demoLibrary: true,
    logRetentionDays: 7,
    logPurgeHour: 4,
    timeZone: 'Europe/Kyiv',
    nightMode: true,
    dayStartHour: 6,
    nightStartHour: 0,
    streamMode: false,
    streamBitrate: 192,
    crossfadeMs: 0,
    loudnessTargetLufs: -16,
    trimSilence: true,
    ffmpegPath: 'ffmpeg',
    radioHostsMode: false,
    maxLiveHostSlots: 1,
    rosterLimit: 100,
    lyricsApiUrl: 'https://lrclib.net/api',
    lyricsPrefetch: false,
    superAdmin: { login: 'admin', pass: HASH, isHashed: true },
    loginAttemptsPer15Min: 10,
    deleteQuotaPerDay: 30,
    modeSwitchCooldownS: 1800,
    groupInsertCooldownS: 600,
    guestRequestExpiryS: 60,
    guestRequestCooldownS: 600,
    preparingMinS: 3,
    payments: { wanted: null, liqpay: null, stripe: null, donatello: null, kofi: null },
    donationMatchExpiryMin: 15,
    donationRetentionDays: 365,
  })
  const empty = Object.fromEntries(
    ['PORT', 'HOST', 'REDIS_URL', 'TIME_ZONE', 'NIGHT_MODE', 'PUBLIC_SERVER_URL', 'DATA_DIR'].map((name) => [
      name,
      ' ',
    ]),
  )
  t.same(read(empty), read({}), 'an empty value is none')
  t.same(
    read({ NODE_ENV: 'production', JWT_SECRET: 'a secret that only this test knows' }).config.clientOrigins,
    [],
  )
})

t.test('as many processes as cores, when that is asked for, and never more than 32', (t) => {
  const { config, warnings } = read({ API_PROCESSES: 'Auto' })
  t.equal(config.apiProcesses, Math.min(32, availableParallelism()))
  t.same(warnings, [])
  t.end()
})

t.test('an invalid value is replaced, with a warning that names it', async (t) => {
  const cases: [Record<string, string>, Partial<ReturnType<typeof read>['config']>][] = [
    [{ PORT: '70000' }, { port: 65_535 }],
    [{ PORT: 'high' }, { port: 3001 }],
    [{ API_PROCESSES: '0' }, { apiProcesses: 1 }],
    [{ API_PROCESSES: '33' }, { apiProcesses: 32 }],
    [{ API_PROCESSES: 'all' }, { apiProcesses: 1 }],
    [{ TRUST_PROXY_HOPS: '-1' }, { trustProxyHops: 0 }],
    [{ TRUST_PROXY_HOPS: '6' }, { trustProxyHops: 5 }],
    [{ ART_TOKEN_TTL_S: '59' }, { artTokenTtlS: 60 }],
    [{ ART_TOKEN_TTL_S: '86401' }, { artTokenTtlS: 86_400 }],
    [{ AUDIO_TOKEN_TTL_S: '1' }, { audioTokenTtlS: 60 }],
    [{ AUDIO_TOKEN_TTL_S: '43201' }, { audioTokenTtlS: 43_200 }],
    [{ CROSSFADE_MS: '10001' }, { crossfadeMs: 10_000 }],
    [{ LOUDNESS_TARGET_LUFS: '-31' }, { loudnessTargetLufs: -30 }],
    [{ LOUDNESS_TARGET_LUFS: '16' }, { loudnessTargetLufs: -8 }],
    [{ LOUDNESS_TARGET_LUFS: 'loud' }, { loudnessTargetLufs: -16 }],
    [{ TRIM_SILENCE: 'often' }, { trimSilence: true }],
    [{ CROSSFADE_MS: '1.5' }, { crossfadeMs: 0 }],
    [{ DAY_START_HOUR: '24' }, { dayStartHour: 23 }],
    [{ LOG_PURGE_HOUR: '-3' }, { logPurgeHour: 0 }],
    [{ LOG_RETENTION_DAYS: '0' }, { logRetentionDays: 1 }],
    [{ ROSTER_LIMIT: '0' }, { rosterLimit: 1 }],
    [{ STREAM_BITRATE: '193' }, { streamBitrate: 192 }],
    [{ STREAM_MOUNTS: 'aac:64' }, { streamBitrate: 192, otherMounts: [] }],
    [
      { STREAM_MOUNTS: 'mp3:128,aac:63', STREAM_BITRATE: '64' },
      { streamBitrate: 64, otherMounts: [] },
    ],
    [{ STREAM_MOUNTS: 'mp3:128,opus:95' }, { otherMounts: [] }],
    [{ STREAM_MOUNTS: 'mp3:128,mp3:128' }, { streamBitrate: 192, otherMounts: [] }],
    [{ STREAM_MOUNTS: 'mp3:64,mp3:96,mp3:128,mp3:160,mp3:192,mp3:256,mp3:320' }, { otherMounts: [] }],
    [{ NIGHT_MODE: 'no' }, { nightMode: true }],
    [{ STREAM_MODE: '1' }, { streamMode: false }],
    [{ TIME_ZONE: 'Mars/Base' }, { timeZone: 'Europe/Kyiv' }],
    [{ LOG_LEVEL: 'loud' }, { logLevel: 'info' }],
    [{ MEDIA_STORAGE: 'tape' }, { mediaStorage: 'local' }],
    [{ MUSIC_SOURCE: 'tape' }, { mediaStorage: 'local' }],
    [{ PUBLIC_SERVER_URL: 'radio.example' }, { publicServerUrl: '' }],
    [{ LYRICS_API_URL: 'ftp://lyrics.example' }, { lyricsApiUrl: 'https://lrclib.net/api' }],
    [{ RADIO_HOSTS_MODE: 'true' }, { radioHostsMode: false }],
    [{ CLIENT_ORIGIN: 'radio.example' }, {}],
    [{ CLIENT_ORIGIN: 'https://a.example, https://b.example/page' }, {}],
    [{ EMBED_ORIGINS: "https://a.example; script-src *, 'self'" }, { embedOrigins: [] }],
    [{ EMBED_ORIGINS: 'https://a.example, *' }, { embedOrigins: ['https://a.example'] }],
    [{ ART_TOKEN_SECRET: '' }, {}],
    [{ LOGIN_ATTEMPTS_PER_15_MIN: '-1' }, { loginAttemptsPer15Min: 0 }],
    [{ DELETE_QUOTA_PER_DAY: 'many' }, { deleteQuotaPerDay: 30 }],
    [{ MODE_SWITCH_COOLDOWN_S: '-5' }, { modeSwitchCooldownS: 0 }],
    [{ GROUP_INSERT_COOLDOWN_S: '1.5' }, { groupInsertCooldownS: 600 }],
    [{ QUEUE_ADD_COOLDOWN_S: '-1' }, { queueAddCooldownS: 0, queueSkipCooldownS: 30 }],
    [{ QUEUE_REMOVE_COOLDOWN_S: 'x' }, { queueRemoveCooldownS: 30 }],
    [{ QUEUE_SKIP_COOLDOWN_S: '-1' }, { queueSkipCooldownS: 0 }],
    [{ SUGGEST_COOLDOWN_S: '5 min' }, { suggestCooldownS: 300 }],
    [{ SUGGEST_EXPIRY_S: '-300' }, { suggestExpiryS: 0 }],
    [{ MAX_LIVE_HOST_SLOTS: '-1' }, { maxLiveHostSlots: 0 }],
    [{ GUEST_REQUEST_EXPIRY_S: '-1' }, { guestRequestExpiryS: 0 }],
    [{ GUEST_REQUEST_COOLDOWN_S: 'long' }, { guestRequestCooldownS: 600 }],
    [{ PREPARING_MIN_S: '-1' }, { preparingMinS: 0 }],
    [{ DONATION_MATCH_EXPIRY_MIN: '2' }, { donationMatchExpiryMin: 3 }],
    [{ DONATION_MATCH_EXPIRY_MIN: '61' }, { donationMatchExpiryMin: 60 }],
    [{ DONATION_RETENTION_DAYS: '6' }, { donationRetentionDays: 7 }],
    [{ DONATION_RETENTION_DAYS: '3651' }, { donationRetentionDays: 3650 }],
    [{ DONATIONS_ENABLED: 'yes' }, {}],
    [{ VIDEO_SITE_HOSTS: 'https://vimeo.com, Відео.example' }, { videoSiteHosts: ['xn--b1aed0b0h.example'] }],
    [{ VIDEO_SITE_HOSTS: '*.vimeo.com' }, { videoSiteHosts: [] }],
    [{ WEB_PUSH: 'no' }, { webPush: true }],
    [{ VAPID_SUBJECT: 'radio.example' }, { vapidSubject: 'mailto:operator@station.invalid' }],
    [{ ADMIN_PASS: 'plain' }, { superAdmin: { login: 'admin', pass: 'plain', isHashed: false } }],
    [
      { ADMIN_PASS: '$2b$10$short' },
      { superAdmin: { login: 'admin', pass: '$2b$10$short', isHashed: true } },
    ],
  ]
  for (const [env, expected] of cases) {
    const { config, warnings } = read(env)
    const [name = ''] = Object.keys(env)
    t.match(config, expected, JSON.stringify(env))
    t.equal(warnings.length, 1, `${name} gives one warning`)
    // ADMIN_LOGIN and ADMIN_PASS share a warning.
    t.ok(
      warnings[0]?.startsWith(name.replace(/^ADMIN_(LOGIN|PASS)$/, 'ADMIN_')),
      `… which begins with ${name}`,
    )
  }
})

t.test('the monitor listens at the public address as well, where it listens at all', async (t) => {
  const urlsOf = (MONITOR_URLS: string, PUBLIC_SERVER_URL = 'https://radio.example') =>
    read({ STREAM_MODE: 'true', MONITOR_URLS, PUBLIC_SERVER_URL }).config.monitorUrls
  t.same(urlsOf('http://a:3001,http://b:3001'), ['http://a:3001', 'http://b:3001', 'https://radio.example'])
  t.same(urlsOf(''), [], 'it is off')
  t.same(urlsOf('http://a:3001', ''), ['http://a:3001'])
  t.same(urlsOf('https://RADIO.example:443,http://a:3001'), ['https://RADIO.example:443', 'http://a:3001'])
  t.same(urlsOf('http://a:3001,http://a:3001', 'https://radio.example/page'), [
    'http://a:3001',
    'https://radio.example',
  ])
  t.same(read({ MONITOR_URLS: 'http://a:3001' }).config.monitorUrls, [], 'there is no stream')
})

t.test('valid values are taken as they are', async (t) => {
  const { config, warnings } = read({
    STREAM_MODE: 'TRUE',
    NIGHT_MODE: 'False',
    RADIO_HOSTS_MODE: 'true',
    LOG_PURGE_HOUR: '0',
    CLIENT_ORIGIN: ' https://a.example/ ,, http://b.example:8080, HTTPS://c.example:443',
    EMBED_ORIGINS: 'https://Blog.example/, http://b.example:8080',
    PUBLIC_SERVER_URL: 'https://radio.example/',
    LYRICS_API_URL: '',
    MEDIA_STORAGE: 'local',
    MUSIC_SOURCE: 'cloud',
  })
  t.same(warnings, [])
  t.match(config, {
    streamMode: true,
    nightMode: false,
    radioHostsMode: true,
    logPurgeHour: 0,
    clientOrigins: ['https://a.example', 'http://b.example:8080', 'HTTPS://c.example:443'],
    embedOrigins: ['https://blog.example', 'http://b.example:8080'],
    publicServerUrl: 'https://radio.example',
    lyricsApiUrl: '',
    mediaStorage: 'local',
  })
  // Only the API has admins, and it warns by itself if there is no super admin.
  for (const env of [{ ADMIN_LOGIN: ' ' }, { ADMIN_PASS: '' }] as Record<string, string>[])
    t.match(read(env), { config: { superAdmin: null }, warnings: [] })
  t.match(read({ STREAM_MOUNTS: ' ', STREAM_BITRATE: '64' }), {
    config: { streamBitrate: 64, otherMounts: [] },
    warnings: [],
  })
  t.same(read({ EMBED_ORIGINS: '*' }).config.embedOrigins, ['*'])
  t.equal(read({ LOUDNESS_TARGET_LUFS: ' Off ' }).config.loudnessTargetLufs, null)
  t.equal(read({ LOUDNESS_TARGET_LUFS: '-18.5' }).config.loudnessTargetLufs, -18.5)
  const bcrypt = `$2b$10$${'abc./0'.repeat(9).slice(0, 53)}`
  const admin = read({ ADMIN_LOGIN: ' Ольга ', ADMIN_PASS: bcrypt, LOGIN_ATTEMPTS_PER_15_MIN: '0' })
  t.same(admin.warnings, [])
  t.match(admin.config, {
    superAdmin: { login: 'Ольга', pass: bcrypt, isHashed: true },
    loginAttemptsPer15Min: 0,
  })
})

t.test('a bucket is configured by its settings', async (t) => {
  t.equal(read({ S3_BUCKET: 'radio' }).config.bucket, null)
  const asSaid = {
    endpoint: 'https://s3.example',
    bucket: 'radio',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  }
  t.match(read(bucket), {
    warnings: [],
    config: {
      mediaStorage: 'cloud',
      bucket: {
        ...asSaid,
        publicEndpoint: 'https://s3.example',
        region: 'auto',
        forcePathStyle: true,
        artsPrefix: 'arts',
        presignTtlS: 900,
      },
    },
  })
  const chosen = {
    S3_PUBLIC_ENDPOINT: 'https://files.example',
    S3_REGION: 'eu-central-1',
    S3_FORCE_PATH_STYLE: 'false',
    S3_ARTS_PREFIX: '/pictures/of-artists/',
    S3_PRESIGN_TTL_S: '1000000',
  }
  t.match(read({ ...bucket, ...chosen }), {
    warnings: [/^S3_PRESIGN_TTL_S/],
    config: {
      bucket: {
        ...asSaid,
        publicEndpoint: 'https://files.example',
        region: 'eu-central-1',
        forcePathStyle: false,
        artsPrefix: 'pictures/of-artists',
        presignTtlS: 604_800,
      },
    },
  })
  for (const prefix of ['../day', 'a//b', 'a b'])
    t.match(read({ ...bucket, S3_ARTS_PREFIX: prefix }), {
      warnings: [/^S3_ARTS_PREFIX/],
      config: { bucket: { artsPrefix: 'arts' } },
    })
})

t.test('problems keep the service from starting, and all are reported at once', async (t) => {
  t.match(problems({ JWT_SECRET: ' ', REDIS_URL: 'http://redis' }), [/^JWT_SECRET/, /^REDIS_URL/])
  t.match(problems({ REDIS_SENTINELS: 'one:x, ' }), [/^REDIS_SENTINELS must name at least one server/])
  t.match(problems({ REDIS_URL: 'redis:///0' }), [/^REDIS_URL must be an address that starts with redis/])
  t.match(problems({ NODE_ENV: 'production' }), [/^JWT_SECRET .*32/])
  const strong = {
    NODE_ENV: 'production',
    JWT_SECRET: '9f1c04b7d2e85a6630b19c4f7e2d8a51',
    ADMIN_PASS: 'Correct horse 1',
  }
  const weak: [Record<string, string>, RegExp][] = [
    [{ JWT_SECRET: 'a'.repeat(64) }, /^JWT_SECRET is too regular/],
    [{ JWT_SECRET: 'secret99'.repeat(5) }, /^JWT_SECRET is too regular/],
    [{ JWT_SECRET: 'abcaabdbcacdbbdacbdcabacddbcbadaccb' }, /^JWT_SECRET is too regular/],
    [{ JWT_SECRET: 'a mantra of mine'.repeat(3) }, /^JWT_SECRET is too regular/],
    [{ ART_TOKEN_SECRET: 'b' }, /^ART_TOKEN_SECRET .*32/],
    [{ ART_TOKEN_SECRET: '0123456789'.repeat(4) }, /^ART_TOKEN_SECRET is too regular/],
    [{ ADMIN_PASS: 'a' }, /^ADMIN_PASS must be a hash/],
    [{ ADMIN_PASS: 'nouppercase1' }, /^ADMIN_PASS must be a hash/],
  ]
  for (const [env, problem] of weak) t.match(problems({ ...strong, ...env }), [problem])
  for (const env of [{ ADMIN_PASS: 'Correct horse 1' }, { ADMIN_PASS: '$2b$06$b4TC4E' }])
    t.ok(read({ ...strong, ...env }), 'what is strong starts')
  t.ok(read({ ADMIN_LOGIN: 'a', ADMIN_PASS: 'a', ART_TOKEN_SECRET: 'b' }), 'so does anything elsewhere')
  t.match(problems({ DATA_PROVIDER: 'sql', MUSIC_SOURCE: 'cloud', S3_BUCKET: 'radio' }), [
    /^DATABASE_URL is required/,
    /^S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: required with MEDIA_STORAGE=cloud$/,
  ])
  t.match(problems({ ...bucket, S3_ENDPOINT: 's3.example' }), [/^S3_ENDPOINT must be/])
  const elsewhere = problems({ DATA_PROVIDER: 'sql', DATABASE_URL: 'mysql://radio:secret@db' })
  t.match(elsewhere, [/^DATABASE_URL must be/])
  t.notMatch(elsewhere.join(), /secret/)
})

t.test('records are in PostgreSQL if configured so, wherever files are', async (t) => {
  const url = 'postgres://radio:secret@db.example/radio?sslmode=require'
  const { config, warnings } = read({ DATA_PROVIDER: 'SQL', DATABASE_URL: url, DATABASE_POOL_MAX: '0' })
  t.match(config, { dataProvider: 'sql', database: { url, poolMax: 2 } })
  t.match(warnings, [/^DATABASE_POOL_MAX: 0 is out of range/])
  t.equal(read({ DATABASE_URL: url }).config.database, null)
})

t.test(
  '.env.example has everything that is read, and nothing else, with the values that it has anyway',
  async (t) => {
    const text = await readFile(new URL('../../../../.env.example', import.meta.url), 'utf8')
    const example = Object.fromEntries(
      [...text.matchAll(/^#([A-Z]\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    const all = {
      ...secrets,
      ...bucket,
      DATA_PROVIDER: 'sql',
      DATABASE_URL: 'postgres://db.example/radio',
      DONATIONS_ENABLED: 'true',
      DONATIONS_PROVIDER: 'kofi',
      PUBLIC_SERVER_URL: 'https://radio.example',
      LIQPAY_PUBLIC_KEY: 'public',
      LIQPAY_PRIVATE_KEY: 'private',
      STRIPE_SECRET_KEY: 'secret',
      STRIPE_WEBHOOK_SECRET: 'secret',
      DONATELLO_API_TOKEN: 'token',
      DONATELLO_PAGE_URL: 'https://donatello.example/me',
      KOFI_VERIFICATION_TOKEN: 'token',
      KOFI_PAGE_URL: 'https://ko-fi.example/me',
    }
    const names = new Set<string>()
    const noting = (env: Record<string, string>) =>
      new Proxy(env, { get: (target, name: string) => names.add(name) && target[name] })
    const expected = readConfig(noting(all))
    readConfig(noting(secrets))
    t.same([...names].sort(), Object.keys(example).sort())
    t.same(expected.warnings, [])
    t.same(readConfig({ ...example, ...all }), expected)
  },
)
