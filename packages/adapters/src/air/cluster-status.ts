import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { RedisAddress } from '../config/servers/addresses.ts'
import { connectTo } from '../redis/address.ts'
import { ACCOUNT_CHANNEL } from '../redis/channels/announcer.ts'
import { answered, isRefusal, PREFIX } from '../redis/connection.ts'
import { readLease } from './lease/status.ts'
import { keys } from './wire.ts'

const CONNECT_TIMEOUT_MS = 3_000

/** The live processes of the station, as Redis knows them. */
export interface ClusterStatus {
  /** A worker is on the air. */
  isOnAir: boolean
  /** Standby workers. */
  standbys: number
  /** Replicas of the API. */
  replicas: number
  /** Processes that run jobs. */
  jobs: number
}

/** A connection to a Redis that answers within 3 s, else null. @throws when Redis refuses, for instance without its password */
export async function reachRedis(address: RedisAddress): Promise<Redis | null> {
  const redis = connectTo(address, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT_MS,
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

export async function readClusterStatus(redis: Redis): Promise<ClusterStatus> {
  const queue = new Queue('jobs', { connection: redis, prefix: PREFIX.slice(0, -1), skipVersionCheck: true })
  // BullMQ repeats errors of the connection, which reports them itself.
  queue.on('error', () => {})
  const listening = async (channel: string) =>
    Number((await answered(redis, redis.pubsub('NUMSUB', channel)))[1])
  const [{ isHeld }, standbys, replicas, jobs] = await Promise.all([
    readLease(redis),
    // Standby workers subscribe to releases of the lease, and all replicas to changed accounts.
    listening(keys.leaseFree),
    listening(ACCOUNT_CHANNEL),
    answered(redis, queue.getWorkersCount()),
  ])
  await queue.close()
  return { isOnAir: isHeld, standbys, replicas, jobs }
}
