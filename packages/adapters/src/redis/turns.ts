import type { Redis } from 'ioredis'
import { answered, PREFIX } from './connection.ts'

/** Counts turns within windows, for all replicas together. */
export interface TurnCounter {
  /**
   * Takes `count` turns of `key`, in the window that began with its first one.
   *
   * @returns how many were taken in this window, with these, and what is left of it.
   * @throws while Redis is away.
   */
  take(key: string, count: number, windowMs: number): Promise<{ taken: number; leftMs: number }>
}

const TAKE = `
local taken = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { taken, left }
`

export function openTurnCounter(redis: Redis): TurnCounter {
  return {
    async take(key, count, windowMs) {
      // Without Redis nobody can count; waiting for it would only pile up requests.
      if (redis.status !== 'ready') throw new Error('Redis is away')
      const taking = redis.eval(TAKE, 1, `${PREFIX}limit:${key}`, count, windowMs)
      const [taken, leftMs] = (await answered(redis, taking)) as [number, number]
      return { taken, leftMs }
    },
  }
}
