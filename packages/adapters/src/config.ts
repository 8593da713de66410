import { hkdfSync } from 'node:crypto'
import { resolve } from 'node:path'
import { isStrongPassword, type PaymentProviderId, paymentProviderIds } from '@solstice/station'

const WEB = ['http:', 'https:']
const WHOLE_HASH =
  /^\$(2[aby]\$\d\d\$[./\w]{53}|argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[+/\w]{11,}\$[+/\w]{16,})$/
/** What the payment services call themselves, in the order of their ids. */
const PAYMENT_SERVICES = ['liqpay', 'stripe', 'donatello', 'kofi']
export const streamBitrates = [64, 96, 128, 160, 192, 256, 320] as const

/** Everything that the environment decides, read once at start. */
export type Config = ReturnType<typeof readConfig>['config']

/** The environment cannot be worked with; each problem is a sentence for the operator. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration cannot be used:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the configuration from the environment; the only reader of it in the service.
 *
 * @returns the configuration, and warnings for values that were replaced by a default or a limit.
 * @throws {ConfigError} naming everything without which the service must not start.
 */
export function readConfig(env: Record<string, string | undefined>) {
  const warnings: string[] = []
  const problems: string[] = []
  const text = (name: string, fallback: string) => env[name]?.trim() || fallback

  const flag = (name: string, fallback: boolean) => {
    const value = env[name]?.trim().toLowerCase()
    if (value === 'true') return true
    if (value === 'false') return false
    if (value) warnings.push(`${name}: "${env[name]}" is neither true nor false; using ${fallback}`)
    return fallback
  }

  const integer = (name: string, fallback: number, min: number, max = Number.MAX_SAFE_INTEGER) => {
    const value = env[name]?.trim()
    if (!value) return fallback
    if (!/^-?\d+$/.test(value)) {
      warnings.push(`${name}: "${value}" is not a whole number; using ${fallback}`)
      return fallback
    }
    const clamped = Math.min(max, Math.max(min, Number(value)))
    if (clamped !== Number(value)) warnings.push(`${name}: ${value} is out of range; using ${clamped}`)
    return clamped
  }

  const oneOf = <const T extends readonly (string | number)[]>(
    name: string,
    values: T,
    fallback: T[number],
  ): T[number] => {
    const value = env[name]?.trim()
    if (!value) return fallback
    const found = values.find((candidate) => String(candidate) === value.toLowerCase())
    if (found !== undefined) return found
    warnings.push(`${name}: "${value}" is not one of ${values.join(', ')}; using ${fallback}`)
    return fallback
  }

  const address = (name: string, fallback: string, protocols: string[]): string | null => {
    const value = text(name, fallback)
    if (value === '') return ''
    return hasProtocol(value, protocols) ? value.replace(/\/+$/, '') : null
  }

  const webAddress = (name: string, fallback: string) => {
    const value = address(name, fallback, WEB)
    if (value === null)
      warnings.push(`${name}: "${env[name]}" is no http:// or https:// address; using ${fallback || 'none'}`)
    return value ?? fallback
  }

  /** A loudness in LUFS, or null for `off`. */
  const loudness = (name: string, fallback: number, min: number, max: number) => {
    const value = env[name]?.trim().toLowerCase()
    if (!value) return fallback
    if (value === 'off') return null
    if (!/^-?\d+(\.\d+)?$/.test(value)) {
      warnings.push(`${name}: "${env[name]}" is neither a number nor off; using ${fallback}`)
      return fallback
    }
    const clamped = Math.min(max, Math.max(min, Number(value)))
    if (clamped !== Number(value)) warnings.push(`${name}: ${value} is out of range; using ${clamped}`)
    return clamped
  }

  const redisAddress = () => {
    const value = address('REDIS_URL', 'redis://127.0.0.1:6379', ['redis:', 'rediss:'])
    if (!value || !new URL(value).hostname)
      problems.push('REDIS_URL must be an address of a host, starting with redis:// or rediss://')
    return value ?? ''
  }

  const timeZone = () => {
    const value = text('TIME_ZONE', 'Europe/Kyiv')
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
    } catch {
      warnings.push(`TIME_ZONE: "${value}" is unknown; using Europe/Kyiv`)
      return 'Europe/Kyiv'
    }
  }

  const isProduction = env.NODE_ENV === 'production'
  const refuseGuessable = (name: string, secret: string) => {
    if (secret.length < 32) problems.push(`${name} must have at least 32 characters in production`)
    else if (isRegular(secret))
      problems.push(`${name} is too regular for production: take random characters (openssl rand -hex 32)`)
  }
  const jwtSecret = env.JWT_SECRET ?? ''
  if (!jwtSecret.trim()) problems.push('JWT_SECRET is required: it signs the tokens of admins')
  else if (isProduction) refuseGuessable('JWT_SECRET', jwtSecret)

  const dataProvider = oneOf('DATA_PROVIDER', ['json', 'sql'], 'json')
  const mediaStorage = oneOf(
    env.MEDIA_STORAGE?.trim() ? 'MEDIA_STORAGE' : 'MUSIC_SOURCE',
    ['local', 'cloud'],
    'local',
  )

  const streamMode = flag('STREAM_MODE', false)
  const hostsWanted = flag('RADIO_HOSTS_MODE', false)
  if (hostsWanted && !streamMode) warnings.push('RADIO_HOSTS_MODE needs STREAM_MODE; live hosting is off')

  const artTokenSecret = env.ART_TOKEN_SECRET?.trim()
  if (!artTokenSecret) warnings.push('ART_TOKEN_SECRET is not set; it is derived from JWT_SECRET')
  else if (isProduction) refuseGuessable('ART_TOKEN_SECRET', artTokenSecret)

  const adminLogin = env.ADMIN_LOGIN?.trim() ?? ''
  const adminPass = env.ADMIN_PASS ?? ''
  const isAdminPassHashed = /^\$(argon2id|2[aby])\$/.test(adminPass)
  if (adminPass && !isAdminPassHashed && isProduction && !isStrongPassword(adminPass))
    problems.push(
      'ADMIN_PASS must have at least 8 characters in production, an upper-case and a lower-case letter and a digit among them, or be a hash',
    )
  if (adminPass && !isAdminPassHashed)
    warnings.push('ADMIN_PASS is plain text; an argon2id or bcrypt hash is safer')
  else if (adminPass && !WHOLE_HASH.test(adminPass))
    warnings.push('ADMIN_PASS begins like a hash but is not a whole one; no password will be right')

  /** In the spelling of addresses, which links are compared with. */
  const siteHosts = () =>
    text('VIDEO_SITE_HOSTS', 'youtube.com,youtu.be,music.youtube.com')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .flatMap((name) => {
        const address = `https://${name}`
        const hostname = URL.canParse(address) ? new URL(address).hostname : ''
        if (/^[a-z\d[]/.test(hostname) && new URL(address).href === `https://${hostname}/`) return hostname
        warnings.push(`VIDEO_SITE_HOSTS: "${name}" is no name of a host; it is left out`)
        return []
      })

  const videoAudioBitrate = () => {
    const value = text('VIDEO_AUDIO_BITRATE', '128K').toUpperCase()
    const kbits = /^\d{2,3}K$/.test(value) ? Number.parseInt(value, 10) : 0
    if (kbits >= 32 && kbits <= 320) return value
    warnings.push(`VIDEO_AUDIO_BITRATE: "${value}" is not 32K to 320K; using 128K`)
    return '128K'
  }

  const clientOrigins = () => {
    const pages = isProduction ? '' : 'http://localhost:3000,http://localhost:5173,http://localhost:4173'
    const origins = (env.CLIENT_ORIGIN ?? pages)
      .split(',')
      .map((origin) => origin.trim().replace(/\/+$/, ''))
      .filter(Boolean)
    for (const origin of origins) {
      if (!/^https?:\/\/[\w.:[\]-]+$/i.test(origin) || !URL.canParse(origin))
        warnings.push(
          `CLIENT_ORIGIN: "${origin}" is no origin such as https://radio.example; it lets nobody in`,
        )
    }
    return origins
  }

  const publicServerUrl = webAddress('PUBLIC_SERVER_URL', '')

  const wantedPayments = (): PaymentProviderId | null => {
    const value = text('DONATIONS_PROVIDER', '').toLowerCase()
    const known = paymentProviderIds.find((id, i) => value === id || value === PAYMENT_SERVICES[i])
    if (known) return known
    const problem = value ? `"${env.DONATIONS_PROVIDER?.trim()}" is not one of` : 'has to be one of'
    warnings.push(`DONATIONS_PROVIDER: ${problem} ${PAYMENT_SERVICES.join(', ')}; donations are off`)
    return null
  }

  /** The payment services that all values are there for; all null when donations are off. */
  const payments = () => {
    const isOn = flag('DONATIONS_ENABLED', false)
    const wanted = isOn ? wantedPayments() : null
    const whole = <Own extends Record<string, string>>(
      id: PaymentProviderId,
      own: Own,
      others: Record<string, string> = {},
    ): Own | null => {
      const isMeant = id === wanted || Object.values(own).some(Boolean)
      if (!isOn || !isMeant) return null
      const missing = Object.entries({ ...own, ...others }).flatMap(([name, value]) => (value ? [] : name))
      if (missing.length === 0) return own
      const service = PAYMENT_SERVICES[paymentProviderIds.indexOf(id)]
      const outcome = id === wanted ? 'donations are off' : 'it is left out'
      warnings.push(`${missing.join(', ')}: not set, and needed for ${service}; ${outcome}`)
      return null
    }

    const liqpay = whole(
      'checkout_provider_1',
      {
        LIQPAY_PUBLIC_KEY: text('LIQPAY_PUBLIC_KEY', ''),
        LIQPAY_PRIVATE_KEY: text('LIQPAY_PRIVATE_KEY', ''),
      },
      { PUBLIC_SERVER_URL: publicServerUrl },
    )
    const stripe = whole('checkout_provider_2', {
      STRIPE_SECRET_KEY: text('STRIPE_SECRET_KEY', ''),
      STRIPE_WEBHOOK_SECRET: text('STRIPE_WEBHOOK_SECRET', ''),
    })
    const donatello = whole('matching_provider_1', {
      DONATELLO_API_TOKEN: text('DONATELLO_API_TOKEN', ''),
      DONATELLO_PAGE_URL: webAddress('DONATELLO_PAGE_URL', ''),
    })
    const kofi = whole('matching_provider_2', {
      KOFI_VERIFICATION_TOKEN: text('KOFI_VERIFICATION_TOKEN', ''),
      KOFI_PAGE_URL: webAddress('KOFI_PAGE_URL', ''),
    })
    return {
      /** Where new orders are to go; nowhere when that service is null here. */
      wanted,
      liqpay: liqpay && {
        publicKey: liqpay.LIQPAY_PUBLIC_KEY,
        privateKey: liqpay.LIQPAY_PRIVATE_KEY,
        apiUrl: webAddress('LIQPAY_API_URL', 'https://www.liqpay.ua/api/3/checkout'),
      },
      stripe: stripe && {
        secretKey: stripe.STRIPE_SECRET_KEY,
        webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
        apiUrl: webAddress('STRIPE_API_URL', 'https://api.stripe.com'),
      },
      donatello: donatello && {
        apiToken: donatello.DONATELLO_API_TOKEN,
        pageUrl: donatello.DONATELLO_PAGE_URL,
        apiUrl: webAddress('DONATELLO_API_URL', 'https://donatello.to/api/v1'),
        pollIntervalMs: integer('DONATELLO_POLL_INTERVAL_S', 30, 10) * 1000,
      },
      kofi: kofi && { verificationToken: kofi.KOFI_VERIFICATION_TOKEN, pageUrl: kofi.KOFI_PAGE_URL },
    }
  }

  /** The PostgreSQL of `DATA_PROVIDER=sql`; null when data is in files. */
  const database = () => {
    if (dataProvider !== 'sql') return null
    const url = env.DATABASE_URL?.trim() ?? ''
    if (!url) problems.push('DATABASE_URL is required with DATA_PROVIDER=sql')
    else if (!hasProtocol(url, ['postgres:', 'postgresql:']))
      problems.push('DATABASE_URL must be an address starting with postgres:// or postgresql://')
    return { url, poolMax: integer('DATABASE_POOL_MAX', 10, 2, 100) }
  }

  /** The bucket of `MEDIA_STORAGE=cloud`; null when files are local. */
  const bucket = () => {
    if (mediaStorage !== 'cloud') return null
    const needed = {
      endpoint: 'S3_ENDPOINT',
      bucket: 'S3_BUCKET',
      accessKeyId: 'S3_ACCESS_KEY_ID',
      secretAccessKey: 'S3_SECRET_ACCESS_KEY',
    }
    const missing = Object.values(needed).filter((name) => !env[name]?.trim())
    if (missing.length) problems.push(`${missing.join(', ')}: required with MEDIA_STORAGE=cloud`)
    const endpoint = address(needed.endpoint, '', WEB)
    if (endpoint === null) problems.push('S3_ENDPOINT must be an address starting with http:// or https://')
    const artsPrefix = text('S3_ARTS_PREFIX', 'arts').replace(/^\/+|\/+$/g, '')
    const isPrefix =
      /^[\w.!*'()-]+(\/[\w.!*'()-]+)*$/.test(artsPrefix) && !/(^|\/)\.\.?(\/|$)/.test(artsPrefix)
    if (!isPrefix) warnings.push(`S3_ARTS_PREFIX: "${env.S3_ARTS_PREFIX}" is no prefix of keys; using arts`)
    return {
      endpoint: endpoint ?? '',
      publicEndpoint: webAddress('S3_PUBLIC_ENDPOINT', '') || (endpoint ?? ''),
      region: text('S3_REGION', 'auto'),
      bucket: text(needed.bucket, ''),
      accessKeyId: text(needed.accessKeyId, ''),
      secretAccessKey: text(needed.secretAccessKey, ''),
      forcePathStyle: flag('S3_FORCE_PATH_STYLE', true),
      artsPrefix: isPrefix ? artsPrefix : 'arts',
      presignTtlS: integer('S3_PRESIGN_TTL_S', 900, 60, 604_800),
    }
  }

  const config = {
    isProduction,
    port: integer('PORT', 3001, 0, 65535),
    host: text('HOST', '0.0.0.0'),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    /** Built web client; null = the default place. */
    webDist: env.WEB_DIST?.trim() ? resolve(env.WEB_DIST.trim()) : null,
    clientOrigins: clientOrigins(),
    publicServerUrl,
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, 0, 5),
    redisUrl: redisAddress(),
    /** For how long a replica that is told to end still takes connections, while balancers learn that it is not ready. */
    drainDelayMs: integer('DRAIN_DELAY_S', 0, 0, 60) * 1000,
    /** Where processes without HTTP of their own serve their metrics; null = nowhere. */
    metricsPort: integer('METRICS_PORT', 0, 0, 65535) || null,
    metricsHost: text('METRICS_HOST', '127.0.0.1'),
    /** Lets operators read metrics; '' = programs of this machine may. */
    metricsToken: text('METRICS_TOKEN', ''),

    /** Key of the tokens of admins. */
    jwtSecret,
    /** The super admin; null when there is none. `pass` is an argon2id or bcrypt hash, or plain text. */
    superAdmin:
      adminLogin && adminPass ? { login: adminLogin, pass: adminPass, isHashed: isAdminPassHashed } : null,
    artTokenSecret:
      artTokenSecret ||
      Buffer.from(hkdfSync('sha256', jwtSecret, '', 'solstice art tokens', 32)).toString('base64url'),
    artTokenTtlS: integer('ART_TOKEN_TTL_S', 3600, 60, 86_400),
    audioTokenTtlS: integer('AUDIO_TOKEN_TTL_S', 900, 60, 43_200),

    dataProvider,
    database: database(),
    dataDir: resolve(text('DATA_DIR', './data')),
    mediaStorage,
    mediaDir: resolve(text('MEDIA_DIR', './media')),
    bucket: bucket(),
    ephemeralStorage: flag('EPHEMERAL_STORAGE', false),
    confirmTrackCleanup: flag('CONFIRM_TRACK_CLEANUP', false),
    demoLibrary: flag('DEMO_LIBRARY', true),
    logRetentionDays: integer('LOG_RETENTION_DAYS', 7, 1),
    logPurgeHour: integer('LOG_PURGE_HOUR', 4, 0, 23),

    timeZone: timeZone(),
    nightMode: flag('NIGHT_MODE', true),
    dayStartHour: integer('DAY_START_HOUR', 6, 0, 23),
    nightStartHour: integer('NIGHT_START_HOUR', 0, 0, 23),

    streamMode,
    streamBitrate: oneOf('STREAM_BITRATE', streamBitrates, 192),
    crossfadeMs: integer('CROSSFADE_MS', 0, 0, 10_000),
    /** Integrated loudness at which tracks are played; null = as they are. */
    loudnessTargetLufs: loudness('LOUDNESS_TARGET_LUFS', -16, -30, -8),
    trimSilence: flag('TRIM_SILENCE', true),
    ffmpegPath: text('FFMPEG_PATH', 'ffmpeg'),
    radioHostsMode: hostsWanted && streamMode,
    /** Hosts and guests on the air together. */
    maxLiveHostSlots: integer('MAX_LIVE_HOST_SLOTS', 1, 0),
    rosterLimit: integer('ROSTER_LIMIT', 100, 1),

    lyricsApiUrl: env.LYRICS_API_URL === '' ? '' : webAddress('LYRICS_API_URL', 'https://lrclib.net/api'),
    lyricsPrefetch: flag('LYRICS_PREFETCH', false),

    /** 0 turns a limit off. */
    loginAttemptsPer15Min: integer('LOGIN_ATTEMPTS_PER_15_MIN', 10, 0),
    deleteQuotaPerDay: integer('DELETE_QUOTA_PER_DAY', 30, 0),
    modeSwitchCooldownS: integer('MODE_SWITCH_COOLDOWN_S', 1800, 0),
    groupInsertCooldownS: integer('GROUP_INSERT_COOLDOWN_S', 600, 0),
    queueAddCooldownS: integer('QUEUE_ADD_COOLDOWN_S', 30, 0),
    queueRemoveCooldownS: integer('QUEUE_REMOVE_COOLDOWN_S', 30, 0),
    queueSkipCooldownS: integer('QUEUE_SKIP_COOLDOWN_S', 30, 0),
    suggestCooldownS: integer('SUGGEST_COOLDOWN_S', 300, 0),
    suggestExpiryS: integer('SUGGEST_EXPIRY_S', 300, 0),
    guestRequestExpiryS: integer('GUEST_REQUEST_EXPIRY_S', 60, 0),
    guestRequestCooldownS: integer('GUEST_REQUEST_COOLDOWN_S', 600, 0),
    preparingMinS: integer('PREPARING_MIN_S', 3, 0),

    payments: payments(),
    /** For how long the code of an order is looked for in donations. */
    donationMatchExpiryMin: integer('DONATION_MATCH_EXPIRY_MIN', 15, 3, 60),
    donationRetentionDays: integer('DONATION_RETENTION_DAYS', 365, 7, 3650),

    /** Download tool; '' = looked for in PATH. */
    videodownPath: text('VIDEODOWN_PATH', ''),
    /** Bit rate of the sound that is taken from videos, as ffmpeg takes it. */
    videoAudioBitrate: videoAudioBitrate(),
    /** Hosts, and their subdomains, that video links may name; the first is the domain that cookies have to be of. */
    videoSiteHosts: siteHosts(),
  }

  if (problems.length) throw new ConfigError(problems)
  return { config, warnings }
}

/** Few different characters, or one piece again and again; random digits, hex ones too, never are. */
function isRegular(secret: string): boolean {
  return new Set(secret).size < 7 || /^(.{1,16})\1+.{0,15}$/s.test(secret)
}

function hasProtocol(value: string, protocols: string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}
