import { hkdfSync } from 'node:crypto'
import { resolve } from 'node:path'
import type { Mode } from '@solstice/contracts'

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

  const address = (name: string, fallback: string, protocols: string[]) => {
    const value = text(name, fallback)
    if (value === '') return ''
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, '')
    problems.push(`${name} must be an address starting with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return fallback
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
  const jwtSecret = env.JWT_SECRET ?? ''
  if (!jwtSecret.trim()) problems.push('JWT_SECRET is required: it signs the tokens of admins')
  else if (isProduction && jwtSecret.length < 32)
    problems.push('JWT_SECRET must have at least 32 characters in production')

  const dataProvider = oneOf('DATA_PROVIDER', ['json', 'sql'], 'json')
  const mediaStorage = oneOf(
    'MEDIA_STORAGE',
    ['local', 'cloud'],
    oneOf('MUSIC_SOURCE', ['local', 'cloud'], 'local'),
  )
  if (dataProvider === 'sql')
    problems.push('DATA_PROVIDER=sql: this version keeps its data in files (json) only')
  if (mediaStorage === 'cloud')
    problems.push('MEDIA_STORAGE=cloud: this version keeps its media in local files only')

  const streamMode = flag('STREAM_MODE', false)
  const hostsWanted = flag('RADIO_HOSTS_MODE', false)
  if (hostsWanted && !streamMode) warnings.push('RADIO_HOSTS_MODE needs STREAM_MODE; live hosting is off')

  const artTokenSecret = env.ART_TOKEN_SECRET?.trim()
  if (!artTokenSecret) warnings.push('ART_TOKEN_SECRET is not set; it is derived from JWT_SECRET')

  const origins =
    env.CLIENT_ORIGIN ??
    (isProduction ? '' : 'http://localhost:3000,http://localhost:5173,http://localhost:4173')

  const config = {
    isProduction,
    port: integer('PORT', 3001, 0, 65535),
    host: text('HOST', '0.0.0.0'),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    /** Built web client; null = the default place. */
    webDist: env.WEB_DIST?.trim() ? resolve(env.WEB_DIST.trim()) : null,
    clientOrigins: origins
      .split(',')
      .map((origin) => origin.trim().replace(/\/+$/, ''))
      .filter(Boolean),
    publicServerUrl: address('PUBLIC_SERVER_URL', '', ['http:', 'https:']),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, 0, 5),
    redisUrl: address('REDIS_URL', 'redis://127.0.0.1:6379', ['redis:', 'rediss:']),

    artTokenSecret:
      artTokenSecret ||
      Buffer.from(hkdfSync('sha256', jwtSecret, '', 'solstice art tokens', 32)).toString('base64url'),
    artTokenTtlS: integer('ART_TOKEN_TTL_S', 3600, 60, 86_400),
    audioTokenTtlS: integer('AUDIO_TOKEN_TTL_S', 900, 60, 43_200),

    dataProvider,
    dataDir: resolve(text('DATA_DIR', './data')),
    mediaStorage,
    mediaDir: resolve(text('MEDIA_DIR', './media')),
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
    ffmpegPath: text('FFMPEG_PATH', 'ffmpeg'),
    radioHostsMode: hostsWanted && streamMode,
    rosterLimit: integer('ROSTER_LIMIT', 100, 1),

    lyricsApiUrl:
      env.LYRICS_API_URL === ''
        ? ''
        : address('LYRICS_API_URL', 'https://lrclib.net/api', ['http:', 'https:']),
    lyricsPrefetch: flag('LYRICS_PREFETCH', false),
  }

  if (problems.length) throw new ConfigError(problems)
  return { config, warnings }
}

/** The modes that this station can be in. */
export function activeModes(config: Pick<Config, 'nightMode'>): Mode[] {
  return config.nightMode ? ['day', 'night'] : ['day']
}
