import type { Redis } from 'ioredis'
import { keys } from './bus-wire.ts'
import { answered } from './redis.ts'

/** Whether a worker holds the desk now, and how often it was taken in the station's life, as far as Redis remembers. */
export async function readDesk(redis: Redis): Promise<{ isHeld: boolean; epoch: number }> {
  const [holder, epoch] = await answered(redis, redis.mget(keys.lease, keys.epoch))
  return { isHeld: holder !== null, epoch: Number(epoch) }
}
