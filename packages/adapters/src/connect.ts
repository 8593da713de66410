import {
  type Announcer,
  type AudioTags,
  type Bus,
  type DataStore,
  type DeleteQuota,
  type JobQueue,
  type Leases,
  type LoudnessMeter,
  type LyricsBatches,
  type LyricsLookup,
  type LyricsTurns,
  type Mailer,
  type MediaStorage,
  type Microphones,
  type Passwords,
  type Payments,
  type Pictures,
  type PushServices,
  type Replicas,
  type Spools,
  type VideoTools,
  type WebhookSender,
  withStationTime,
} from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { openRedisBus } from './air/bus.ts'
import { readLease } from './air/lease/status.ts'
import { openReconciliation, type Reconciliation } from './air/reconciliation.ts'
import { openReplicas } from './air/replicas.ts'
import { openLoudnessMeter } from './audio/loudness.ts'
import { audioTags } from './audio/tags.ts'
import { createPasswords } from './auth/passwords.ts'
import type { Config } from './config/config.ts'
import { openSpools } from './data/spool.ts'
import { openJobQueue } from './jobs/client.ts'
import { openPictures } from './pictures/pictures.ts'
import { registerDiskMetrics } from './process/disks.ts'
import { createMetrics, type Metrics } from './process/metrics.ts'
import { openAnnouncer } from './redis/channels/announcer.ts'
import { openMicrophones } from './redis/channels/microphones.ts'
import { openReplicaLink, type ReplicaLink } from './redis/channels/replica-link.ts'
import { openStationClock, type RedisClock } from './redis/clock/station-clock.ts'
import { openRedis } from './redis/connection.ts'
import { openLeases } from './redis/leases/leases.ts'
import { openDeleteQuota } from './redis/limits/delete-quota.ts'
import { openTurnCounter, type TurnCounter } from './redis/limits/turns.ts'
import { type HlsListeners, openHlsListeners } from './redis/listeners/hls-listeners.ts'
import { openLyricsBatches } from './redis/lyrics/batches.ts'
import { openLyricsTurns } from './redis/lyrics/turns.ts'
import { openCircuits } from './services/circuit.ts'
import { createLyricsLookup } from './services/lyrics-lookup.ts'
import { openMailer } from './services/mail.ts'
import { inStationTime, openPayments } from './services/payments/index.ts'
import { openPushServices } from './services/web-push.ts'
import { openData, openMedia } from './stores.ts'
import { openVideoTools } from './video/tools.ts'
import { openWebhookSender } from './webhooks/sender.ts'

/** Ports and infrastructure of a process of the station. */
export interface Ports {
  config: Config
  log: Logger
  data: DataStore
  media: MediaStorage
  bus: Bus
  clock: RedisClock
  announcer: Announcer
  jobs: JobQueue
  tags: AudioTags
  loudnessMeter: LoudnessMeter
  pictures: Pictures
  passwords: Passwords
  payments: Payments
  pushServices: PushServices
  webhookSender: WebhookSender
  /** null = no mail server is configured, or nobody to tell. */
  mailer: Mailer | null
  spools: Spools
  lyricsLookup: LyricsLookup
  lyricsTurns: LyricsTurns
  videoTools: VideoTools
  reconciliation: Reconciliation
  deleteQuota: DeleteQuota
  leases: Leases
  microphones: Microphones
  replicas: Replicas
  metrics: Metrics
  turnCounter: TurnCounter
  hlsListeners: HlsListeners
  /** For one replica of the API, which must close it. */
  openReplicaLink(): Promise<ReplicaLink>
  openLyricsBatches(): LyricsBatches
  /** Reads the state of the lease on the air. */
  readLease(): ReturnType<typeof readLease>
  /** For tests, which inspect its content. */
  redis: Redis
  close(): Promise<void>
}

/**
 * Opens the ports that the configuration selects; nothing else chooses adapters.
 *
 * @param records whether the store of records has to answer at the start, or the process can do without it until it does.
 * @throws when a store cannot be opened.
 */
export async function connect(
  config: Config,
  log: Logger,
  records: 'required' | 'awaited' = 'required',
): Promise<Ports> {
  const [store, media, redis] = await Promise.all([
    openData(config, log, records),
    openMedia(config, log),
    openRedis(config.redis, log, config.isProduction),
  ])
  const clock = await openStationClock(redis)
  const data = withStationTime(store, clock)
  const bus = openRedisBus(redis, clock, log)
  const jobs = openJobQueue(config.redis, log)
  const microphones = openMicrophones(redis)
  const metrics = createMetrics()
  registerDiskMetrics(metrics, config)
  const circuits = openCircuits(metrics)
  return {
    config,
    log,
    data,
    media,
    bus,
    clock,
    announcer: openAnnouncer(redis),
    jobs,
    tags: audioTags(config.ffmpegPath),
    loudnessMeter: openLoudnessMeter(config.ffmpegPath),
    pictures: openPictures(),
    passwords: createPasswords(),
    payments: inStationTime(openPayments(config, undefined, circuits.open), clock),
    pushServices: openPushServices(config, data),
    webhookSender: openWebhookSender(config.webhookLocalHosts),
    mailer: config.mail && openMailer(config.mail),
    spools: openSpools(config.dataDir),
    lyricsLookup: createLyricsLookup(config.lyricsApiUrl, undefined, circuits.open('the lyrics service')),
    lyricsTurns: openLyricsTurns(redis),
    videoTools: openVideoTools(config, redis, log),
    reconciliation: openReconciliation(redis),
    deleteQuota: openDeleteQuota(redis, clock, config),
    leases: openLeases(redis),
    microphones,
    replicas: openReplicas(redis, clock),
    metrics,
    turnCounter: openTurnCounter(redis),
    hlsListeners: openHlsListeners(redis, clock),
    openReplicaLink: () => openReplicaLink(redis, log),
    openLyricsBatches: () => openLyricsBatches(redis),
    readLease: () => readLease(redis),
    redis,
    async close() {
      await Promise.all([bus.close(), jobs.close(), data.close(), media.close()])
      clock.stop()
      microphones.close()
      redis.disconnect()
    },
  }
}
