import { answered } from '@solstice/adapters'
import { Failure } from '@solstice/station'
import type { Redis } from 'ioredis'

/**
 * Takes one of the allowed turns of `who`.
 *
 * @throws {Failure} RATE_LIMITED when none is left in this window, AIR_UNAVAILABLE while Redis is away.
 */
export type RateLimit = (who: string) => Promise<void>

/** Allows `turns` per window of `windowS` seconds and person, counted by all replicas together. */
export function createRateLimit(
  redis: Redis,
  limit: { name: string; turns: number; windowS: number },
): RateLimit {
  return async (who) => {
    // Without Redis nobody can count; waiting for it would only pile up requests.
    if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
    const key = `solstice:limit:${limit.name}:${who}`
    const counting = redis.multi().set(key, 0, 'EX', limit.windowS, 'NX').incr(key).pttl(key).exec()
    const answers = await answered(redis, counting).catch(() => {
      throw new Failure('AIR_UNAVAILABLE')
    })
    const [taken, leftMs] = [Number(answers?.[1]?.[1]), Number(answers?.[2]?.[1])]
    if (taken > limit.turns) throw new Failure('RATE_LIMITED', { retryAfterSecs: Math.ceil(leftMs / 1000) })
  }
}
