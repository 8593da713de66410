import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import {
  Failure,
  isDiskFull,
  type JobName,
  type JobProgress,
  type JobQueue,
  storeUnavailable,
} from '@solstice/station'
import type { Job, JobsOptions, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../config/servers/addresses.ts'
import { answered } from '../redis/connection.ts'
import { reportOf } from './board.ts'
import { connectQueues, openQueue } from './connection.ts'
import { progressOf } from './job-progress.ts'
import { createCaller } from './on-demand.ts'
import {
  isOnDemand,
  isQueueName,
  optionsOf,
  type QueueName,
  queueFor,
  queueNames,
  queueOfJob,
  RESULT_TIMEOUT_MS,
} from './queues.ts'
import { type Ask, resultOf, waitForEnd } from './wait-for-job.ts'

const REDIS_TIMEOUT_MS = 5_000
/** Waiting on-demand jobs of one queue: callers behind more of them would leave before their turn. */
const MAX_WAITING = 10
const RETRY_AFTER_S = 30

/** State shared by the requests of one process. */
interface Client {
  redis: Redis
  queues: Record<QueueName, Queue>
  closing: AbortSignal
  ask: Ask
}

/** The job queues over Redis. A request that Redis does not answer within 5 s is refused with JOBS_UNAVAILABLE. */
export function openJobQueue(address: RedisAddress, log: Logger): JobQueue {
  const redis = connectQueues(address, log)
  const queues = Object.fromEntries(
    queueNames.map((name) => [name, openQueue(name, redis, log)]),
  ) as Client['queues']
  const closing = new AbortController()
  // Each caller that waits listens to it.
  setMaxListeners(0, closing.signal)
  const ask: Ask = async (answer) => {
    try {
      return await answered(redis, answer, REDIS_TIMEOUT_MS)
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'job queue did not answer')
      throw isDiskFull(error) ? storeUnavailable(error) : new Failure('JOBS_UNAVAILABLE')
    }
  }
  const client: Client = { redis, queues, closing: closing.signal, ask }

  return {
    async add(name, data, { id, requeueIfActive = false } = {}) {
      const deduplication = id && { deduplication: { id, keepLastIfActive: requeueIfActive } }
      return (await addJob(client, name, data, deduplication || {})).id!
    },

    async perform(name, data, timeoutMs = RESULT_TIMEOUT_MS) {
      const queue = queues[queueFor(name, data)]
      const job = await addJob(client, name, data)
      const awaited = { redis, queue, job, ask }
      const result = await resultOf(awaited, await waitForEnd(awaited, timeoutMs, closing.signal))
      if (queue === queues.batches) await ask(dropContents(redis, queue, job.id!)).catch(() => {})
      return result as never
    },

    performWhileConnected: async (name, data, leaving) =>
      (await performWhileConnected(client, name, data, leaving)) as never,

    progress: (name, id) => readProgress(client, name, id),

    async board(page) {
      const { queue: name } = page
      if (name !== undefined && !isQueueName(name)) throw new Failure('NOT_FOUND')
      const shown = name === undefined ? queueNames : [name]
      return ask(Promise.all(shown.map((name) => reportOf(queues[name], page))))
    },

    async retry(name, id) {
      const job = isQueueName(name) ? await ask(queues[name].getJob(id)) : null
      if (!job) throw new Failure('NOT_FOUND')
      if (isOnDemand(job.name)) throw new Failure('BAD_REQUEST', { field: 'id', reason: 'job_awaited' })
      if ((await ask(job.getState())) !== 'failed')
        throw new Failure('BAD_REQUEST', { field: 'id', reason: 'job_not_failed' })
      await ask(job.retry('failed', { resetAttemptsMade: true }))
      return job.name
    },

    async close() {
      closing.abort()
      await Promise.all(Object.values(queues).map((queue) => queue.close()))
      redis.disconnect()
    },
  }
}

function addJob(
  { queues, ask }: Client,
  name: JobName,
  data: object,
  options: JobsOptions = {},
): Promise<Job> {
  const queue = queueFor(name, data)
  // BullMQ numbers the jobs of each queue. Changes need ids that are unique over two queues, and the results of a lyrics
  // batch are stored under its id.
  const hasOwnId = queue === 'batches' || queue === 'lyrics'
  const all = { ...optionsOf(queue), ...(hasOwnId && { jobId: randomUUID() }), ...options }
  return ask(queues[queue].add(name, data, all))
}

async function performWhileConnected(
  client: Client,
  name: JobName,
  data: object,
  leaving: AbortSignal,
): Promise<unknown> {
  const { redis, closing, ask } = client
  const queue = client.queues[queueFor(name, data)]
  const { waiting = 0, delayed = 0 } = await ask(queue.getJobCounts('waiting', 'delayed'))
  if (waiting + delayed >= MAX_WAITING) throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
  const id = randomUUID()
  const caller = createCaller(redis, id)
  await ask(caller.renew())
  const stopRenewing = caller.renewRegularly()
  let hasEnded = false
  try {
    leaving.throwIfAborted()
    const awaited = { redis, queue, job: await addJob(client, name, data, { jobId: id }), ask }
    const end = await waitForEnd(awaited, Number.POSITIVE_INFINITY, closing, leaving)
    hasEnded = true
    return await resultOf(awaited, end)
  } finally {
    stopRenewing()
    await ask(caller.leave()).catch(() => {})
    // A waiting job leaves the queue. A running one cannot; its worker sees that the caller has left.
    if (!hasEnded) await ask(queue.remove(id)).catch(() => {})
  }
}

async function readProgress(
  { redis, queues, ask }: Client,
  name: JobName,
  id: string,
): Promise<JobProgress | null> {
  // The version before had all long jobs in one queue.
  const own = queues[queueOfJob[name]]
  const queue = (await ask(redis.exists(own.toKey(id)))) === 1 ? own : queues.background
  const job = await ask(queue.getJob(id))
  if (job?.name !== name) return null
  const state = await ask(job.getState())
  if (state === 'unknown') return null
  const { done, total, notes } = progressOf(job)
  if (state === 'completed') {
    // It may have ended after it was read.
    const ended = await ask(queue.getJob(id))
    return { state: 'done', done, total, notes: ended?.returnvalue }
  }
  const shown = state === 'failed' ? 'failed' : state === 'active' ? 'running' : 'waiting'
  return { state: shown, done, total, notes }
}

/** Frees the memory of a batch whose caller has the result. */
async function dropContents(redis: Redis, queue: Queue, id: string): Promise<void> {
  const ended = await queue.getJob(id)
  if (!ended) return
  const { done, total } = progressOf(ended)
  const light = { data: '{}', progress: JSON.stringify({ done, total }), returnvalue: 'null' }
  await redis.hset(queue.toKey(id), light)
}
