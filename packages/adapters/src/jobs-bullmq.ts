import type { JobName, JobQueue, Jobs } from '@solstice/station'
import { type Job, type JobsOptions, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { keepAnswering } from './redis.ts'

const QUEUE = 'jobs'
const PREFIX = 'solstice'
const CONCURRENCY = 4
/** A job whose process died is taken up again after at most the sum of these two. */
const LOCK_MS = 10_000
const STALLED_CHECK_MS = 5_000
/** Longer than the 10 s for which BullMQ may wait for a job on one connection. */
const SILENCE_MS = 15_000
/** A job that takes its process down each time is given up after so many. */
const MOST_STALLS = 5

const options: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { count: 100 },
  removeOnFail: { count: 100 },
}

/** What does each job; `stopping` asks it to break off, which it says by throwing, to be done again later. */
export type Processors = {
  [N in JobName]: (payload: Jobs[N], stopping: AbortSignal) => Promise<void>
}

/** A job that comes again and again. */
export interface Recurrence {
  name: JobName
  /** Cron: minute, hour, day of the month, month, day of the week. */
  pattern: string
  /** IANA name of the zone that the pattern is meant in. */
  timeZone: string
}

export interface JobWorker {
  /** Breaks off what runs and resolves when it has ended. */
  close(): Promise<void>
}

/** The job queue over Redis. Adding rejects when Redis does not answer for some seconds. */
export function openJobQueue(redisUrl: string, log: Logger): JobQueue {
  const { queue, close } = openQueue(redisUrl, log)
  return {
    async add(name, payload, { id } = {}) {
      await queue.add(name, payload, { ...options, ...(id && { deduplication: { id } }) })
    },
    close,
  }
}

/**
 * Does the jobs of the queue, up to four at a time; any number of processes may, each job is done by one. What fails is
 * tried again, five times in all, after 1, 2, 4 and 8 s; what a dead process left is taken up within 15 s.
 */
export async function workJobs(
  redisUrl: string,
  processors: Processors,
  recurrences: Recurrence[],
  log: Logger,
): Promise<JobWorker> {
  await planRecurrences(redisUrl, recurrences, log)
  const stopping = new AbortController()
  const redis = connect(redisUrl, log, { maxRetriesPerRequest: null })
  const worker = new Worker(
    QUEUE,
    async (job) => {
      const process = processors[job.name as JobName] as Processors[JobName] | undefined
      if (!process) throw new Error(`there is no job named ${job.name}`)
      await process(job.data, stopping.signal)
    },
    {
      connection: redis,
      prefix: PREFIX,
      concurrency: CONCURRENCY,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MOST_STALLS,
    },
  )
  worker.on('error', (error) => isOfConnection(error) || log.warn({ err: error }, 'job queue'))
  worker.on('active', (job) => log.debug({ job: job.name }, 'job begins'))
  worker.on('completed', (job) => log.info({ job: job.name, ms: spent(job) }, 'job done'))
  worker.on('failed', (job, error) => {
    if (!stopping.signal.aborted)
      log.error({ job: job?.name, attempt: job?.attemptsMade, err: error }, 'job failed')
  })
  return {
    async close() {
      stopping.abort()
      await worker.close()
      redis.disconnect()
    },
  }
}

/** From now on these jobs come again, and no others. Every process says the same, so the last one may win. */
async function planRecurrences(redisUrl: string, recurrences: Recurrence[], log: Logger): Promise<void> {
  const { queue, close } = openQueue(redisUrl, log)
  try {
    const names = new Set<string>(recurrences.map(({ name }) => name))
    for (const { key } of await queue.getJobSchedulers()) {
      if (!names.has(key)) await queue.removeJobScheduler(key)
    }
    for (const { name, pattern, timeZone } of recurrences) {
      await queue.upsertJobScheduler(name, { pattern, tz: timeZone }, { name, data: {}, opts: options })
    }
  } finally {
    await close()
  }
}

function openQueue(redisUrl: string, log: Logger) {
  const redis = connect(redisUrl, log)
  const queue = new Queue(QUEUE, { connection: redis, prefix: PREFIX })
  queue.on('error', (error) => isOfConnection(error) || log.warn({ err: error }, 'job queue'))
  const close = async () => {
    await queue.close()
    redis.disconnect()
  }
  return { queue, close }
}

/** BullMQ blocks on a copy of this connection, which has to try for ever. */
function connect(redisUrl: string, log: Logger, overrides: { maxRetriesPerRequest?: null } = {}): Redis {
  const redis = new Redis(redisUrl, {
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    ...overrides,
  })
  watch(redis)
  let complained = false
  redis.on('error', (error) => {
    if (!complained) log.warn({ err: error.message }, 'the job queue has no Redis; trying again')
    complained = true
  })
  redis.on('ready', () => {
    complained = false
  })
  return redis
}

/** Makes a connection anew that is dead without having said so, and the copies that BullMQ makes of it as well. */
function watch(redis: Redis): void {
  keepAnswering(redis, SILENCE_MS)
  const duplicate = redis.duplicate.bind(redis)
  redis.duplicate = (overrides) => {
    const copy = duplicate(overrides)
    watch(copy)
    return copy
  }
}

/** BullMQ passes on what the connection has already said, at every attempt. */
function isOfConnection(error: Error): boolean {
  return 'syscall' in error || error.message.includes('Connection is closed')
}

function spent({ processedOn, finishedOn }: Job): number {
  return (finishedOn ?? 0) - (processedOn ?? 0)
}
