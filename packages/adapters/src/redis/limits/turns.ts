import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'

/** Counts turns per window across all replicas. */
export interface TurnCounter {
  /**
   * Takes `count` turns of `key` in its window, which begins with the first turn.
   *
   * @returns the turns taken in this window including these, and the rest of the window in ms.
   * @throws while Redis is unavailable.
   */
  take(key: string, count: number, windowMs: number): Promise<{ taken: number; leftMs: number }>
}

const TAKE = readScript(new URL('./take-turns.lua', import.meta.url))

export function openTurnCounter(redis: Redis): TurnCounter {
  return {
    async take(key, count, windowMs) {
      // Fails at once: requests that waited for Redis would pile up.
      if (redis.status !== 'ready') throw new Error('Redis is away')
      const taking = redis.eval(TAKE, 1, `${PREFIX}limit:${key}`, count, windowMs)
      const [taken, leftMs] = (await answered(redis, taking)) as [number, number]
      return { taken, leftMs }
    },
  }
}
