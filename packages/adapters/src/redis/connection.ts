import { Redis, type RedisOptions } from 'ioredis'
import type { Logger } from 'pino'

/** Every key and channel of the station in Redis begins with this. */
export const PREFIX = 'solstice:'

/** An answer that takes longer means that the connection is dead without having said so. */
const ANSWER_LIMIT_MS = 3_000
const FIRST_CONNECT_LIMIT_MS = 30_000

const options: RedisOptions = {
  maxRetriesPerRequest: null,
  enableAutoPipelining: false,
  // Between a connection and its greeting ioredis writes some commands (SUBSCRIBE, PUBLISH) and forgets them if that connection
  // breaks, so that they are never answered nor refused. The less is said in between, the better.
  disableClientInfo: true,
  retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 4), 1_000) + Math.random() * 100,
  keepAlive: 5_000,
  connectTimeout: ANSWER_LIMIT_MS,
  // A dead connection does not answer a goodbye either.
  disconnectTimeout: 500,
}

/**
 * Connects to Redis and waits for its first answer.
 *
 * @throws when Redis refuses, as without its password; and when there is no answer within 30 s and `mustAnswer` is set, else
 * waiting goes on.
 */
export async function openRedis(url: string, log: Logger, mustAnswer: boolean): Promise<Redis> {
  const redis = new Redis(url, options)
  limitGreeting(redis)
  let complained = false
  redis.on('error', (error) => {
    const what = isRefusal(error) ? 'Redis refuses this connection' : 'Redis does not answer'
    if (!complained) log.warn({ err: error.message }, `${what}; trying again`)
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

/** Whether it is an answer, by which Redis says no. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/** Another connection of the same settings, for blocking reads or subscriptions. */
export function anotherConnection(redis: Redis, overrides: RedisOptions = {}): Redis {
  const connection = redis.duplicate(overrides)
  limitGreeting(connection)
  // The main connection has already said what is wrong.
  connection.on('error', () => {})
  // Back after a break, ioredis subscribes anew and waits for no answer: a break right then would be nobody's error.
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

/** A connection that opens and then lets nothing pass is made anew: ioredis would wait for its first answer for ever. */
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
  const asking = setInterval(() => {
    if (isAsked || redis.status !== 'ready') return
    isAsked = true
    answered(redis, redis.ping(), limitMs)
      .catch(() => {})
      .finally(() => {
        isAsked = false
      })
  }, ANSWER_LIMIT_MS).unref()
  redis.once('end', () => clearInterval(asking))
}

/** Makes a dead connection known: an answer within 3 s, or the connection is made anew and this rejects. */
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
