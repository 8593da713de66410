import rateLimit from '@fastify/rate-limit'
import type { Redis } from '@solstice/adapters'
import { answered } from '@solstice/adapters'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Takes some of the allowed turns of `who`, one unless told otherwise. The `RateLimit` headers of the reply say what is left,
 * also of a refusal.
 *
 * @throws {Failure} RATE_LIMITED when none is left in this window, AIR_UNAVAILABLE while Redis is away.
 */
export type RateLimit = (who: string, reply: FastifyReply, count?: number) => Promise<void>

/**
 * Makes limits of `turns` per person within `windowS` seconds from the first one, counted by all replicas together in Redis;
 * 0 turns is no limit. Nothing is limited but what takes a turn.
 */
export async function openRateLimits(
  app: FastifyInstance,
  redis: Redis,
): Promise<(limit: { name: string; turns: number; windowS: number }) => RateLimit> {
  // The plugin knows of a turn only the request that it is for.
  const asked = new WeakMap<FastifyRequest, Turn>()
  const turnOf = (request: FastifyRequest) => asked.get(request) as Turn
  await app.register(rateLimit, {
    global: false,
    redis,
    nameSpace: NAME_SPACE,
    keyGenerator: (request) => turnOf(request).key,
    max: (request) => turnOf(request).turns,
    timeWindow: (request) => turnOf(request).windowMs,
  })
  const take = app.createRateLimit()

  return ({ name, turns, windowS }) => {
    const windowMs = windowS * 1000
    const count = async (key: string, request: FastifyRequest, turnCount: number) => {
      // The plugin counts one at a time: the others go before it, within the same window.
      if (turnCount > 1)
        await redis
          .multi()
          .set(`${NAME_SPACE}${key}`, 0, 'PX', windowMs, 'NX')
          .incrby(`${NAME_SPACE}${key}`, turnCount - 1)
          .exec()
      asked.set(request, { key, turns, windowMs })
      return take(request)
    }
    return async (who, reply, turnCount = 1) => {
      if (turns === 0) return
      // Without Redis nobody can count; waiting for it would only pile up requests.
      if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
      const counting = count(`${name}:${who}`, reply.request, turnCount)
      const taken = await answered(redis, counting).catch(() => {
        throw new Failure('AIR_UNAVAILABLE')
      })
      if (taken.isAllowed) return
      // Headers of the first limit stand, unless another one refuses the request.
      if (taken.isExceeded || !reply.hasHeader('ratelimit-limit'))
        reply.headers({
          'ratelimit-policy': `${turns};w=${windowS}`,
          'ratelimit-limit': turns,
          'ratelimit-remaining': taken.remaining,
          'ratelimit-reset': taken.ttlInSeconds,
        })
      if (taken.isExceeded) throw new Failure('RATE_LIMITED', { retryAfterSecs: taken.ttlInSeconds })
    }
  }
}

const NAME_SPACE = 'solstice:limit:'

interface Turn {
  key: string
  turns: number
  windowMs: number
}
