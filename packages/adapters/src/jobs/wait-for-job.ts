import { Failure, sleep, withFirstOf } from '@solstice/station'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { refusalIn } from './refusals.ts'

/** A caller gives up after this time without any worker, or without Redis. */
const ABSENCE_TIMEOUT_MS = 10_000
const WORKER_CHECK_EVERY_MS = 2_000
/** The job is looked at again after an eighth of the time waited so far, within these bounds. */
const MIN_POLL_MS = 20
const MAX_POLL_MS = 500
/** A caller waits no longer for an interrupted change; the job goes on without it. */
const INTERRUPTED_TIMEOUT_MS = 10_000

/** Limits a question to Redis. @throws Failure JOBS_UNAVAILABLE */
export type Ask = <T>(answer: Promise<T>) => Promise<T>

/** A job that a caller waits for. */
export interface AwaitedJob {
  redis: Redis
  queue: Queue
  job: Job
  ask: Ask
}

/**
 * Waits until a job has ended.
 *
 * @throws Failure JOBS_UNAVAILABLE after `timeoutMs`, when no worker is there, or once `closing` is aborted; the reason of
 * `leaving` once that is.
 */
export const waitForEnd = (
  awaited: AwaitedJob,
  timeoutMs: number,
  closing: AbortSignal,
  leaving?: AbortSignal,
): Promise<'completed' | 'failed'> =>
  leaving
    ? withFirstOf([closing, leaving], (first) => pollForEnd(awaited, timeoutMs, closing, first))
    : pollForEnd(awaited, timeoutMs, closing, closing)

async function pollForEnd(
  awaited: AwaitedJob,
  timeoutMs: number,
  closing: AbortSignal,
  signal: AbortSignal,
): Promise<'completed' | 'failed'> {
  const { queue, job, ask } = awaited
  const begunMs = performance.now()
  const elapsedMs = () => performance.now() - begunMs
  let reachedMs = 0
  let workersSeenMs = 0
  let workersCheckedMs = 0
  while (elapsedMs() < timeoutMs && elapsedMs() - Math.min(reachedMs, workersSeenMs) < ABSENCE_TIMEOUT_MS) {
    const pauseMs = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, elapsedMs() / 8))
    await sleep(pauseMs, { signal }).catch(() => {
      if (!closing.aborted) signal.throwIfAborted()
      throw new Failure('JOBS_UNAVAILABLE')
    })
    const state = await ask(job.getState()).catch(() => null)
    if (state === 'completed' || state === 'failed') return state
    if (state === 'unknown') break
    if (state === 'delayed' && elapsedMs() > INTERRUPTED_TIMEOUT_MS && (await isHalfDone(awaited))) break
    if (state !== null) reachedMs = elapsedMs()
    if (elapsedMs() - workersCheckedMs > WORKER_CHECK_EVERY_MS) {
      workersCheckedMs = elapsedMs()
      // Some Redis services do not list their clients; there only the timeout counts.
      if ((await ask(queue.getWorkersCount()).catch(() => 1)) > 0) workersSeenMs = elapsedMs()
    }
  }
  throw new Failure('JOBS_UNAVAILABLE')
}

/**
 * Tells an interrupted change from a failed attempt and from a change that waits for another: all three
 * are delayed, but the latter two have an answer soon.
 */
async function isHalfDone({ redis, queue, job, ask }: AwaitedJob): Promise<boolean> {
  const [failedReason, progress] = await ask(redis.hmget(queue.toKey(job.id!), 'failedReason', 'progress'))
  return failedReason === null && progress !== null
}

/** The result of a job that has ended. @throws the `Failure` that it ended with */
export async function resultOf(
  { queue, job, ask }: AwaitedJob,
  end: 'completed' | 'failed',
): Promise<unknown> {
  const ended = await ask(queue.getJob(job.id!))
  if (!ended) throw new Failure('JOBS_UNAVAILABLE')
  // A job that succeeded in the end still has the reason of an earlier failure.
  if (end === 'failed') throw refusalIn(ended.failedReason) ?? new Failure('INTERNAL')
  return ended.returnvalue
}
