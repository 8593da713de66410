import { resolve } from 'node:path'
import { readPayments } from './payments.ts'
import { createReader, type Environment, type Reader } from './reader.ts'
import { readSecrets } from './secrets.ts'
import { hasProtocol, withoutEndSlashes } from './setting.ts'
import { readStores } from './stores.ts'

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
 * Reads the configuration from the environment; the only reader of it in the service. `settings` has what each variable
 * is, the files beside this one how several make one value.
 *
 * @returns the configuration, and warnings for values that were replaced by a default or a limit.
 * @throws {ConfigError} naming everything without which the service must not start.
 */
export function readConfig(env: Environment) {
  const reader = createReader(env)
  const isProduction = env.NODE_ENV === 'production'
  const config = {
    isProduction,
    ...readSecrets(reader, isProduction),
    ...readStores(reader),
    ...readServer(reader, isProduction),
    ...readRadio(reader),
    ...readLimits(reader),
    ...readVideo(reader),
    ...readDonations(reader),
  }
  if (reader.problems.length) throw new ConfigError(reader.problems)
  return { config, warnings: reader.warnings }
}

function readServer(reader: Reader, isProduction: boolean) {
  const { read } = reader
  return {
    port: read('PORT'),
    host: read('HOST'),
    logLevel: read('LOG_LEVEL'),
    /** Built web client; null = the default place. */
    webDist: read('WEB_DIST') ? resolve(read('WEB_DIST')) : null,
    clientOrigins: clientOrigins(reader, isProduction),
    publicServerUrl: read('PUBLIC_SERVER_URL'),
    trustProxyHops: read('TRUST_PROXY_HOPS'),
    redisUrl: redisUrl(reader),
    /** How long a stopping replica still accepts connections while load balancers learn that it is not ready. */
    drainDelayMs: read('DRAIN_DELAY_S') * 1000,
    /** Where processes without HTTP of their own serve their metrics; null = nowhere. */
    metricsPort: read('METRICS_PORT') || null,
    metricsHost: read('METRICS_HOST'),
    /** Lets operators read metrics; '' = programs of this machine may. */
    metricsToken: read('METRICS_TOKEN'),
  }
}

/** Set but empty means none, also outside production. */
function clientOrigins({ read, raw }: Reader, isProduction: boolean): string[] {
  const given = raw('CLIENT_ORIGIN') ?? (isProduction ? '' : undefined)
  return given?.trim() === '' ? [] : read('CLIENT_ORIGIN')
}

function redisUrl({ read, problems }: Reader): string {
  const url = withoutEndSlashes(read('REDIS_URL'))
  if (!hasProtocol(url, ['redis:', 'rediss:']) || !new URL(url).hostname)
    problems.push('REDIS_URL must be an address of a host, starting with redis:// or rediss://')
  return url
}

function readRadio({ read, raw, warnings }: Reader) {
  const streamMode = read('STREAM_MODE')
  const hostsWanted = read('RADIO_HOSTS_MODE')
  if (hostsWanted && !streamMode) warnings.push('RADIO_HOSTS_MODE needs STREAM_MODE; live hosting is off')
  return {
    timeZone: read('TIME_ZONE'),
    nightMode: read('NIGHT_MODE'),
    dayStartHour: read('DAY_START_HOUR'),
    nightStartHour: read('NIGHT_START_HOUR'),
    streamMode,
    streamBitrate: read('STREAM_BITRATE'),
    crossfadeMs: read('CROSSFADE_MS'),
    /** Integrated loudness at which tracks are played; null = as they are. */
    loudnessTargetLufs: read('LOUDNESS_TARGET_LUFS'),
    trimSilence: read('TRIM_SILENCE'),
    ffmpegPath: read('FFMPEG_PATH'),
    radioHostsMode: hostsWanted && streamMode,
    /** Hosts and guests on the air together. */
    maxLiveHostSlots: read('MAX_LIVE_HOST_SLOTS'),
    rosterLimit: read('ROSTER_LIMIT'),
    /** '' = lyrics are never looked up. */
    lyricsApiUrl: raw('LYRICS_API_URL') === '' ? '' : read('LYRICS_API_URL'),
    lyricsPrefetch: read('LYRICS_PREFETCH'),
  }
}

/** 0 turns a limit off. */
function readLimits({ read }: Reader) {
  return {
    loginAttemptsPer15Min: read('LOGIN_ATTEMPTS_PER_15_MIN'),
    deleteQuotaPerDay: read('DELETE_QUOTA_PER_DAY'),
    modeSwitchCooldownS: read('MODE_SWITCH_COOLDOWN_S'),
    groupInsertCooldownS: read('GROUP_INSERT_COOLDOWN_S'),
    queueAddCooldownS: read('QUEUE_ADD_COOLDOWN_S'),
    queueRemoveCooldownS: read('QUEUE_REMOVE_COOLDOWN_S'),
    queueSkipCooldownS: read('QUEUE_SKIP_COOLDOWN_S'),
    suggestCooldownS: read('SUGGEST_COOLDOWN_S'),
    suggestExpiryS: read('SUGGEST_EXPIRY_S'),
    guestRequestExpiryS: read('GUEST_REQUEST_EXPIRY_S'),
    guestRequestCooldownS: read('GUEST_REQUEST_COOLDOWN_S'),
    preparingMinS: read('PREPARING_MIN_S'),
  }
}

function readVideo({ read }: Reader) {
  return {
    /** Download tool; '' = looked for in PATH. */
    videodownPath: read('VIDEODOWN_PATH'),
    /** Bit rate of the sound that is taken from videos, as ffmpeg takes it. */
    videoAudioBitrate: read('VIDEO_AUDIO_BITRATE'),
    /** Hosts, and their subdomains, that video links may name; the first is the domain that cookies have to be of. */
    videoSiteHosts: read('VIDEO_SITE_HOSTS'),
  }
}

function readDonations(reader: Reader) {
  return {
    payments: readPayments(reader),
    /** How long the code of an order is looked for in donations. */
    donationMatchExpiryMin: reader.read('DONATION_MATCH_EXPIRY_MIN'),
    donationRetentionDays: reader.read('DONATION_RETENTION_DAYS'),
  }
}
