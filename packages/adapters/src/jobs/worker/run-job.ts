import {
  Deferred,
  diskFullAsFailure,
  Failure,
  type JobData,
  type JobName,
  type JobResult,
  storeUnavailable,
} from '@solstice/station'
import { DelayedError, type Job, UnrecoverableError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createProgressWriter, progressOf } from '../job-progress.ts'
import { ABANDONED, watchCaller } from '../on-demand.ts'
import { isAwaited, isOnDemand } from '../queues.ts'
import { writeRefusal } from '../refusals.ts'

/** A job that a closing process breaks off is offered to others after this time. */
const HANDOVER_DELAY_MS = 1_000
/** A deferred change is retried after this time, doubled at each attempt up to the maximum. */
const MIN_RETRY_DELAY_MS = 500
/** Below the duration of leases, so that no other job changes the same in between. */
const MAX_RETRY_DELAY_MS = 8_000
/** A change that is locked out by another one is retried more often, so that its refusal is in time for its caller. */
const MAX_LOCKED_DELAY_MS = 2_000
/** With the pauses between them some 8 s, less than a caller's patience with an interrupted change. */
const MAX_LOCKED_ATTEMPTS = 5

/** The dependencies of a job besides its data. */
export interface JobContext {
  readonly jobId: string
  /** Asks the job to break off by throwing; it is then run again by another process, or later. */
  readonly stopping: AbortSignal
  /** The notes saved last, when the job is run again; undefined when there are none. */
  readonly notes: unknown
  /**
   * Notes how far the job is. Saved at most once a second, less often when notes are large, and at the end: a job that is
   * killed goes on from the notes saved last.
   */
  progress(done: number, total: number, notes?: unknown): Promise<void>
  /** Saves notes before it resolves: a process that takes over knows of everything begun after that. */
  keep(done: number, total: number, notes: unknown): Promise<void>
}

/**
 * The function that runs each job. A `Failure` is the answer to the caller; `Deferred` is retried until it succeeds; any
 * other error is tried again, five times in all.
 */
export type Processors = {
  [N in JobName]: (
    data: JobData<N>,
    context: JobContext,
  ) => Promise<JobResult<N> extends undefined ? void : JobResult<N>>
}

interface Runner {
  redis: Redis
  processors: Processors
  log: Logger
  stopping: AbortSignal
}

/** Runs one job for BullMQ. Errors are translated into what BullMQ is to do with the job. */
export function createRunner({ redis, processors, log, stopping }: Runner) {
  return async (job: Job, token?: string): Promise<unknown> => {
    const process = processors[job.name as JobName] as Processors[JobName] | undefined
    if (!process) throw new Error(`there is no job named ${job.name}`)
    const progress = createProgressWriter(job)
    const caller = isOnDemand(job.name) ? await watchCaller(redis, job.id!) : null
    const context: JobContext = {
      jobId: job.id!,
      stopping: caller ? AbortSignal.any([stopping, caller.left]) : stopping,
      notes: progressOf(job).notes,
      progress: progress.note,
      keep: progress.keep,
    }
    try {
      context.stopping.throwIfAborted()
      return await process(job.data, context).finally(progress.save)
    } catch (thrown) {
      const error = diskFullAsFailure(thrown)
      if (caller?.left.aborted) throw new UnrecoverableError(ABANDONED)
      if (error instanceof Failure) throw refusalOf(job, error)
      const isDeferred = error instanceof Deferred
      if (isDeferred && isLockedForLong(job, error)) throw refusalOf(job, storeUnavailable())
      if (isDeferred) log.warn({ job: job.name, err: error.cause }, 'job deferred, retrying')
      else if (!stopping.aborted) throw error
      // Not a failed attempt. Delayed, since a worker that is closing may still take what is there.
      const delayMs = isDeferred ? retryDelayMs(job, error) : HANDOVER_DELAY_MS
      await job.moveToDelayed(Date.now() + delayMs, token)
      throw new DelayedError()
    } finally {
      caller?.end()
    }
  }
}

function retryDelayMs({ attemptsStarted }: Job, { reason }: Deferred): number {
  const maxMs = reason === 'locked' ? MAX_LOCKED_DELAY_MS : MAX_RETRY_DELAY_MS
  return Math.min(maxMs, MIN_RETRY_DELAY_MS * 2 ** (attemptsStarted - 1))
}

/** True when a change has waited long enough for another one to be refused: nothing of it was begun. */
function isLockedForLong(job: Job, { reason }: Deferred): boolean {
  const hasBegun = progressOf(job).notes !== undefined
  return reason === 'locked' && !hasBegun && job.attemptsStarted >= MAX_LOCKED_ATTEMPTS && isAwaited(job.name)
}

/** A refusal as an error for BullMQ; final where a caller waits. */
function refusalOf(job: Job, failure: Failure): Error {
  const reason = writeRefusal(failure)
  return isAwaited(job.name) ? new UnrecoverableError(reason) : new Error(reason)
}
