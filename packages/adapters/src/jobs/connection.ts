import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../config/servers/addresses.ts'
import { connectTo } from '../redis/address.ts'
import { keepAnswering } from '../redis/connection.ts'
import type { QueueName } from './queues.ts'

/** Prefix of all keys of the job queues. */
export const PREFIX = 'solstice'

/** Above the 10 s for which BullMQ may wait for a job on one connection. */
const SILENCE_TIMEOUT_MS = 15_000

/** A connection for BullMQ, which blocks on a copy of it; that copy has to retry for ever. */
export function connectQueues(
  address: RedisAddress,
  log: Logger,
  overrides: { maxRetriesPerRequest?: null } = {},
): Redis {
  const redis = connectTo(address, {
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    ...overrides,
  })
  reconnectWhenSilent(redis)
  let isReported = false
  redis.on('error', (error) => {
    if (!isReported) log.warn({ err: error.message }, 'job queue: Redis connection failed, retrying')
    isReported = true
  })
  redis.on('ready', () => {
    isReported = false
  })
  return redis
}

export function openQueue(name: QueueName, redis: Redis, log: Logger): Queue {
  // Nobody reads BullMQ's events, and they repeat progress and results in full.
  const queue = new Queue(name, { connection: redis, prefix: PREFIX, streams: { events: { maxLen: 1 } } })
  queue.on('error', (error) => logQueueError(error, log))
  return queue
}

/** Logs an error of BullMQ, unless it repeats what the connection has already reported. */
export function logQueueError(error: Error, log: Logger): void {
  const isOfConnection = 'syscall' in error || error.message.includes('Connection is closed')
  if (!isOfConnection) log.warn({ err: error }, 'job queue failed')
}

/** Replaces a connection that died silently; so do the copies that BullMQ makes of it. */
function reconnectWhenSilent(redis: Redis): void {
  keepAnswering(redis, SILENCE_TIMEOUT_MS)
  const duplicate = redis.duplicate.bind(redis)
  redis.duplicate = (overrides) => {
    const copy = duplicate(overrides)
    reconnectWhenSilent(copy)
    return copy
  }
}
