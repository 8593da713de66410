import type { TurnCounter } from '@solstice/adapters'
import { Failure } from '@solstice/station'
import type { FastifyReply } from 'fastify'

/**
 * Takes some of the allowed turns of `who`, one unless told otherwise. The `RateLimit` headers of the reply say what is left,
 * also of a refusal.
 *
 * @throws {Failure} RATE_LIMITED when none is left in this window, AIR_UNAVAILABLE while Redis is away.
 */
export type RateLimit = (who: string, reply: FastifyReply, count?: number) => Promise<void>

/**
 * Makes limits of `turns` per person within `windowS` seconds from the first one, counted by all replicas together;
 * 0 turns is no limit. Nothing is limited but what takes a turn.
 */
export function createRateLimits(
  counter: TurnCounter,
): (limit: { name: string; turns: number; windowS: number }) => RateLimit {
  return ({ name, turns, windowS }) =>
    async (who, reply, count = 1) => {
      if (turns === 0) return
      const { taken, leftMs } = await counter.take(`${name}:${who}`, count, windowS * 1000).catch(() => {
        throw new Failure('AIR_UNAVAILABLE')
      })
      const isExceeded = taken > turns
      const retryAfterSecs = Math.ceil(leftMs / 1000)
      // Headers of the first limit stand, unless another one refuses the request.
      if (isExceeded || !reply.hasHeader('ratelimit-limit'))
        reply.headers({
          'ratelimit-policy': `${turns};w=${windowS}`,
          'ratelimit-limit': turns,
          'ratelimit-remaining': Math.max(0, turns - taken),
          'ratelimit-reset': retryAfterSecs,
        })
      if (isExceeded) throw new Failure('RATE_LIMITED', { retryAfterSecs })
    }
}
