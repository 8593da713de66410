import { type Job, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../../config/servers/addresses.ts'
import { connectQueues, logQueueError, PREFIX } from '../connection.ts'
import { ABANDONED } from '../on-demand.ts'
import { type QueueName, queueNames, queues } from '../queues.ts'
import { refusalIn } from '../refusals.ts'
import { createJobLocks, LOCK_MS } from './job-locks.ts'
import { keepPlanned, planRecurrences, type Recurrence } from './recurrences.ts'
import { createRunner, type Processors } from './run-job.ts'

/** With the duration of a lock this bounds the time until the job of a dead process is taken over. */
const STALLED_CHECK_EVERY_MS = 5_000
/** A job that takes its process down each time is given up after these. */
const MAX_STALLS = 5

export interface JobWorker {
  /** Aborts running jobs and resolves when they have ended. */
  close(): Promise<void>
}

/**
 * Runs the jobs of all queues. Any number of processes may; each job is run by one of them. A failed job is tried again, five
 * times in all, after 1, 2, 4 and 8 s; the job of a dead process is taken over within 15 s.
 */
export async function workJobs(
  address: RedisAddress,
  processors: Processors,
  recurrences: Recurrence[],
  log: Logger,
): Promise<JobWorker> {
  await planRecurrences(address, recurrences, log)
  const redis = connectQueues(address, log, { maxRetriesPerRequest: null })
  const stopping = new AbortController()
  const plan = keepPlanned(redis, address, recurrences, log)
  const locks = createJobLocks(redis)
  const run = createRunner({ redis, processors, log, stopping: stopping.signal })
  const perform = async (job: Job, token?: string) => {
    const unlock = locks.keep(job, token!)
    try {
      return await run(job, token)
    } finally {
      unlock()
    }
  }
  const workers = queueNames.map((queue) => {
    const worker = openWorker(queue, redis, perform)
    logJobs(worker, recurrences, log)
    return worker
  })
  return {
    async close() {
      stopping.abort()
      await Promise.all([...workers, plan].map((one) => one.close()))
      locks.close()
      redis.disconnect()
    },
  }
}

function openWorker(
  queue: QueueName,
  redis: Redis,
  perform: (job: Job, token?: string) => Promise<unknown>,
): Worker {
  return new Worker(queue, perform, {
    connection: redis,
    prefix: PREFIX,
    concurrency: queues[queue].concurrency,
    lockDuration: LOCK_MS,
    skipLockRenewal: true,
    stalledInterval: STALLED_CHECK_EVERY_MS,
    maxStalledCount: MAX_STALLS,
  })
}

function logJobs(worker: Worker, recurrences: Recurrence[], log: Logger): void {
  worker.on('error', (error) => logQueueError(error, log))
  worker.on('active', (job) => log.debug({ job: job.name }, 'job started'))
  worker.on('completed', (job) => {
    // A job that recurs every few seconds logs by itself when it has found work.
    const isFrequent = recurrences.some((own) => own.name === job.repeatJobKey && 'everyMs' in own)
    const ms = (job.finishedOn ?? 0) - (job.processedOn ?? 0)
    log[isFrequent ? 'debug' : 'info']({ job: job.name, ms }, 'job completed')
  })
  worker.on('failed', (job, error) => {
    const refusal = refusalIn(error.message)
    if (refusal) log.info({ job: job?.name, code: refusal.code, ...refusal.details }, 'job refused')
    else if (error.message === ABANDONED) log.info({ job: job?.name }, 'job aborted: caller disconnected')
    else log.error({ job: job?.name, attempt: job?.attemptsMade, err: error }, 'job failed')
  })
}
