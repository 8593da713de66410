import { answered } from '@solstice/adapters'
import { Failure } from '@solstice/station'
import type { FastifyReply } from 'fastify'
import type { Redis } from 'ioredis'

/**
 * Takes some of the allowed turns of `who`, one unless told otherwise. With a `reply`, its `RateLimit` headers say what is
 * left, also of a refusal.
 *
 * @throws {Failure} RATE_LIMITED when none is left in this window, AIR_UNAVAILABLE while Redis is away.
 */
export type RateLimit = (who: string, reply?: FastifyReply, count?: number) => Promise<void>

/** Allows `turns` per window of `windowS` seconds and person, counted by all replicas together; 0 turns is no limit. */
export function createRateLimit(
  redis: Redis,
  limit: { name: string; turns: number; windowS: number },
): RateLimit {
  const { turns, windowS } = limit
  return async (who, reply, count = 1) => {
    if (turns === 0) return
    // Without Redis nobody can count; waiting for it would only pile up requests.
    if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
    const key = `solstice:limit:${limit.name}:${who}`
    const counting = redis.multi().set(key, 0, 'EX', windowS, 'NX').incrby(key, count).pttl(key).exec()
    const answers = await answered(redis, counting).catch(() => {
      throw new Failure('AIR_UNAVAILABLE')
    })
    const [taken, leftMs] = [Number(answers?.[1]?.[1]), Number(answers?.[2]?.[1])]
    const resetS = Math.ceil(leftMs / 1000)
    reply?.headers({
      'ratelimit-policy': `${turns};w=${windowS}`,
      'ratelimit-limit': turns,
      'ratelimit-remaining': Math.max(0, turns - taken),
      'ratelimit-reset': resetS,
    })
    if (taken > turns) throw new Failure('RATE_LIMITED', { retryAfterSecs: resetS })
  }
}
