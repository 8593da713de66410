import { repeatTogether } from '@solstice/station'
import type { Redis, RedisOptions } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../config/servers/addresses.ts'
import { connectTo } from './address.ts'

/** Prefix of all keys and channels of the station in Redis. */
export const PREFIX = 'solstice:'

/** A slower answer means a dead connection that TCP has not noticed yet. */
const ANSWER_LIMIT_MS = 3_000
const FIRST_CONNECT_LIMIT_MS = 30_000

const options: RedisOptions = {
  maxRetriesPerRequest: null,
  enableAutoPipelining: false,
  // Before a connection is ready ioredis writes some commands (SUBSCRIBE, PUBLISH) and forgets them if the connection breaks:
  // they are neither answered nor rejected. A shorter greeting leaves less time for that.
  disableClientInfo: true,
  retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 4), 1_000) + Math.random() * 100,
  keepAlive: 5_000,
  connectTimeout: ANSWER_LIMIT_MS,
  // A dead connection does not answer QUIT either.
  disconnectTimeout: 500,
}

/**
 * Connects to Redis and waits for its first answer.
 *
 * @throws when Redis refuses, as with a wrong password; with `mustAnswer` also when it has not answered within 30 s. Without
 * it, waits on.
 */
export async function openRedis(address: RedisAddress, log: Logger, mustAnswer: boolean): Promise<Redis> {
  const redis = connectTo(address, options)
  limitGreeting(redis)
  let complained = false
  redis.on('error', (error) => {
    const what = isRefusal(error) ? 'Redis refuses this connection' : 'Redis does not answer'
    if (!complained) log.warn({ err: error.message }, `${what}; retrying`)
    complained = true
  })
  redis.on('ready', () => {
    if (complained) log.info({ about: 'Redis' }, 'Redis answers again')
    complained = false
  })
  const limit = mustAnswer ? rejectAfter(FIRST_CONNECT_LIMIT_MS, 'Redis cannot be reached (REDIS_URL)') : null
  try {
    await Promise.race([redis.ping(), ...(limit ? [limit.promise] : [])])
  } catch (error) {
    redis.disconnect()
    if (isRefusal(error)) throw new Error(`Redis cannot be used (REDIS_URL): ${error.message}`)
    throw error
  } finally {
    limit?.cancel()
  }
  return redis
}

/** True when Redis answered with an error. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/** Opens another connection with the same options, for blocking reads or subscriptions. */
export function anotherConnection(redis: Redis, overrides: RedisOptions = {}): Redis {
  const connection = redis.duplicate(overrides)
  limitGreeting(connection)
  // The main connection logs its errors.
  connection.on('error', () => {})
  // After a reconnection ioredis subscribes again without handling the answer: a break then would be an unhandled rejection.
  for (const name of ['subscribe', 'psubscribe'] as const) {
    const ask = connection[name].bind(connection) as (...args: unknown[]) => Promise<unknown>
    connection[name] = (...args: unknown[]) => {
      const answer = ask(...args)
      answer.catch(() => {})
      return answer
    }
  }
  return connection
}

/** Reconnects a connection that opens but passes no data: ioredis would wait for its first answer forever. */
function limitGreeting(redis: Redis): void {
  let limit: NodeJS.Timeout | undefined
  redis.on('connect', () => {
    limit = setTimeout(() => redis.disconnect(true), ANSWER_LIMIT_MS)
  })
  for (const event of ['ready', 'close']) redis.on(event, () => clearTimeout(limit))
}

/** Asks again and again, and makes the connection anew when no answer comes for `limitMs`. Ends with the connection. */
export function keepAnswering(redis: Redis, limitMs: number): void {
  limitGreeting(redis)
  let isAsked = false
  const stop = repeatTogether(ANSWER_LIMIT_MS, () => {
    if (isAsked || redis.status !== 'ready') return
    isAsked = true
    answered(redis, redis.ping(), limitMs)
      .catch(() => {})
      .finally(() => {
        isAsked = false
      })
  })
  redis.once('end', stop)
}

/** Detects a dead connection: without an answer within `limitMs`, it reconnects and rejects. */
export async function answered<T>(redis: Redis, answer: Promise<T>, limitMs = ANSWER_LIMIT_MS): Promise<T> {
  const limit = rejectAfter(limitMs, 'Redis did not answer in time')
  try {
    return await Promise.race([answer, limit.promise])
  } catch (error) {
    answer.catch(() => {})
    if (limit.expired() && redis.status === 'ready') redis.disconnect(true)
    throw error
  } finally {
    limit.cancel()
  }
}

function rejectAfter(ms: number, message: string) {
  let expired = false
  let timer: NodeJS.Timeout | undefined
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      expired = true
      reject(new Error(message))
    }, ms)
  })
  promise.catch(() => {})
  return { promise, cancel: () => clearTimeout(timer), expired: () => expired }
}
