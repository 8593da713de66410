import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { ACCOUNT_CHANNEL } from '../redis/announcer.ts'
import { answered, isRefusal, PREFIX } from '../redis/connection.ts'
import { readLease } from './lease/status.ts'
import { keys } from './wire.ts'

const ANSWER_LIMIT_MS = 3_000

/** Which processes of the station are alive, as Redis knows. */
export interface Vitals {
  /** A worker is on the air. */
  isOnAir: boolean
  /** Workers that stand by. */
  standbys: number
  /** Of the API. */
  replicas: number
  /** Processes that do jobs. */
  jobs: number
}

/** A connection to a Redis that answers now; null when none does within 3 s. @throws when it refuses, as without its password. */
export async function reachRedis(url: string): Promise<Redis | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: null,
    connectTimeout: ANSWER_LIMIT_MS,
  })
  let refusal = null as Error | null
  const notice = (error: unknown) => {
    if (isRefusal(error)) refusal ??= error
  }
  redis.on('error', notice)
  try {
    await redis.connect()
    await answered(redis, redis.ping())
    return redis
  } catch (error) {
    redis.disconnect()
    notice(error)
    if (refusal) throw new Error(`Redis cannot be used (REDIS_URL): ${refusal.message}`)
    return null
  }
}

export async function readVitals(redis: Redis): Promise<Vitals> {
  const queue = new Queue('jobs', { connection: redis, prefix: PREFIX.slice(0, -1), skipVersionCheck: true })
  // It passes on what the connection says, which has been said.
  queue.on('error', () => {})
  const listening = async (channel: string) =>
    Number((await answered(redis, redis.pubsub('NUMSUB', channel)))[1])
  const [{ isHeld }, standbys, replicas, jobs] = await Promise.all([
    readLease(redis),
    // Whoever waits for the lease hears when it is free, and every replica hears of accounts.
    listening(keys.leaseFree),
    listening(ACCOUNT_CHANNEL),
    answered(redis, queue.getWorkersCount()),
  ])
  await queue.close()
  return { isOnAir: isHeld, standbys, replicas, jobs }
}
