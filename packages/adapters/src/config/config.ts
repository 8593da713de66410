import { resolve } from 'node:path'
import { readMail } from './mail.ts'
import { readPayments } from './payments.ts'
import { createReader, type Environment, type Reader } from './reader.ts'
import { readSecrets } from './secrets.ts'
import type { RedisAddress } from './servers/addresses.ts'
import { hasProtocol, withoutEndSlashes } from './setting.ts'
import { readStores } from './stores.ts'
import { readWebPush } from './web-push.ts'

/** The configuration of a process, read from the environment once at start. */
export type Config = ReturnType<typeof readConfig>['config']

/** The configuration is unusable; each problem is a sentence for the operator. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration cannot be used:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the configuration from the environment; nothing else in the service reads the environment. `settings` defines the
 * variables; the files beside this one combine several of them into one value.
 *
 * @returns the configuration, and a warning for each value that was replaced by a default or a limit.
 * @throws {ConfigError} listing all problems that keep the service from starting.
 */
export function readConfig(env: Environment) {
  const reader = createReader(env)
  const isProduction = env.NODE_ENV === 'production'
  const secrets = readSecrets(reader, isProduction)
  const server = readServer(reader, isProduction)
  const config = {
    isProduction,
    ...secrets,
    ...server,
    ...readStores(reader),
    ...readRadio(reader, server.publicServerUrl),
    ...readLimits(reader),
    ...readVideo(reader),
    ...readDonations(reader),
    ...readWebPush(reader, server.publicServerUrl),
    /** Hosts of the operator's own network that webhooks may go to. */
    webhookLocalHosts: reader.read('WEBHOOK_LOCAL_HOSTS'),
    /** null = nobody is told by e-mail. */
    mail: readMail(reader),
  }
  if (reader.problems.length) throw new ConfigError(reader.problems)
  return { config, warnings: reader.warnings }
}

function readServer(reader: Reader, isProduction: boolean) {
  const { read } = reader
  return {
    port: read('PORT'),
    host: read('HOST'),
    /** Processes of the API behind `port`. */
    apiProcesses: read('API_PROCESSES'),
    logLevel: read('LOG_LEVEL'),
    /** Folder of the built web client; null = the default one. */
    webDist: read('WEB_DIST') ? resolve(read('WEB_DIST')) : null,
    clientOrigins: clientOrigins(reader, isProduction),
    /** Other sites that may frame the player; `*` = all. */
    embedOrigins: read('EMBED_ORIGINS'),
    publicServerUrl: read('PUBLIC_SERVER_URL'),
    trustProxyHops: read('TRUST_PROXY_HOPS'),
    redis: redisAddress(reader),
    /** A stopping replica accepts connections for this long, while load balancers notice that it is not ready. */
    drainDelayMs: read('DRAIN_DELAY_S') * 1000,
    /** Port on which processes without an HTTP server of their own serve metrics; null = none. */
    metricsPort: read('METRICS_PORT') || null,
    metricsHost: read('METRICS_HOST'),
    /** Bearer token for reading metrics; '' = programs on this machine may read them. */
    metricsToken: read('METRICS_TOKEN'),
  }
}

/** An empty value means none, outside production too. */
function clientOrigins({ read, raw }: Reader, isProduction: boolean): string[] {
  const given = raw('CLIENT_ORIGIN') ?? (isProduction ? '' : undefined)
  return given?.trim() === '' ? [] : read('CLIENT_ORIGIN')
}

/** One Redis, or the group whose primary the sentinels name. */
function redisAddress({ read, raw, problems }: Reader): RedisAddress {
  const url = withoutEndSlashes(read('REDIS_URL'))
  if (!hasProtocol(url, ['redis:', 'rediss:']) || !new URL(url).hostname)
    problems.push('REDIS_URL must be an address that starts with redis:// or rediss:// and names a host')
  const sentinels = read('REDIS_SENTINELS')
  if (raw('REDIS_SENTINELS')?.trim() && sentinels.length === 0)
    problems.push('REDIS_SENTINELS must name at least one server, as host:port')
  const [name, sentinelPassword] = [read('REDIS_SENTINEL_NAME'), read('REDIS_SENTINEL_PASSWORD')]
  return sentinels.length === 0 ? url : { sentinels, name, sentinelPassword, url }
}

function readRadio({ read, raw, warnings }: Reader, publicServerUrl: string) {
  const streamMode = read('STREAM_MODE')
  const monitorUrls = monitored(read('MONITOR_URLS'), publicServerUrl)
  const hostsWanted = read('RADIO_HOSTS_MODE')
  if (hostsWanted && !streamMode) warnings.push('RADIO_HOSTS_MODE requires STREAM_MODE; live hosting is off')
  const [first = { codec: 'mp3', bitrate: read('STREAM_BITRATE') }, ...otherMounts] = read('STREAM_MOUNTS')
  return {
    timeZone: read('TIME_ZONE'),
    nightMode: read('NIGHT_MODE'),
    dayStartHour: read('DAY_START_HOUR'),
    nightStartHour: read('NIGHT_START_HOUR'),
    streamMode,
    /** kbit/s of the first mount. */
    streamBitrate: first.bitrate,
    /** Mounts beside the first. */
    otherMounts,
    /** Addresses at which the monitor listens, each origin once; none without a stream. */
    monitorUrls: streamMode ? monitorUrls : [],
    crossfadeMs: read('CROSSFADE_MS'),
    /** Integrated loudness of tracks on air; null = unchanged. */
    loudnessTargetLufs: read('LOUDNESS_TARGET_LUFS'),
    trimSilence: read('TRIM_SILENCE'),
    ffmpegPath: read('FFMPEG_PATH'),
    radioHostsMode: hostsWanted && streamMode,
    /** Hosts and guests on air at once. */
    maxLiveHostSlots: read('MAX_LIVE_HOST_SLOTS'),
    rosterLimit: read('ROSTER_LIMIT'),
    /** '' turns lookups off. */
    lyricsApiUrl: raw('LYRICS_API_URL') === '' ? '' : read('LYRICS_API_URL'),
    lyricsPrefetch: read('LYRICS_PREFETCH'),
  }
}

/** Where some addresses are listened to, the public one is as well: a proxy may be at fault while all replicas are well. */
function monitored(urls: readonly string[], publicServerUrl: string): string[] {
  const all = publicServerUrl && urls.length > 0 ? [...urls, originOf(publicServerUrl)] : urls
  return all.filter((url, i) => all.findIndex((other) => originOf(other) === originOf(url)) === i)
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

/** Limits; 0 turns one off. */
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
    /** Download tool; '' = looked up in PATH. */
    videodownPath: read('VIDEODOWN_PATH'),
    /** Bit rate of audio extracted from videos, in ffmpeg's notation. */
    videoAudioBitrate: read('VIDEO_AUDIO_BITRATE'),
    /** Hosts allowed in video links, including subdomains; cookies must belong to the first. */
    videoSiteHosts: read('VIDEO_SITE_HOSTS'),
  }
}

function readDonations(reader: Reader) {
  return {
    payments: readPayments(reader),
    /** Donations are matched with the code of an order for this long. */
    donationMatchExpiryMin: reader.read('DONATION_MATCH_EXPIRY_MIN'),
    donationRetentionDays: reader.read('DONATION_RETENTION_DAYS'),
  }
}
