import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { TurnCounter } from '@solstice/adapters'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Takes `count` turns (default 1) from the allowance of `who`. The `RateLimit` headers of the reply, or refusal, state the
 * remaining ones.
 *
 * @throws {Failure} RATE_LIMITED when none is left in this window, AIR_UNAVAILABLE while Redis is away.
 */
export type RateLimit = (who: string, reply: FastifyReply, count?: number) => Promise<void>

/**
 * Opens the factory of rate limits: `turns` per caller within `windowS` seconds of the first, counted across all replicas;
 * 0 turns means unlimited. Only routes that take a turn are limited.
 */
export async function openRateLimits(
  app: FastifyInstance,
  counter: TurnCounter,
): Promise<(limit: { name: string; turns: number; windowS: number }) => RateLimit> {
  await app.register(rateLimit, { global: false, store: storeOver(counter) })

  return ({ name, turns, windowS }) => {
    const keys = new WeakMap<FastifyRequest, string>()
    const take = app.createRateLimit({
      max: turns,
      timeWindow: windowS * 1000,
      keyGenerator: (request) => keys.get(request) as string,
    })
    return async (who, reply, count = 1) => {
      if (turns === 0) return
      keys.set(reply.request, keyOf(count, `${name}:${who}`))
      const taken = await take(reply.request).catch(() => {
        throw new Failure('AIR_UNAVAILABLE')
      })
      if (taken.isAllowed) return
      // Keep the headers of the first limit, unless another one refuses the request.
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

/** The plugin's store counts one turn per call and knows only the key, so the key carries the number of turns. */
const keyOf = (count: number, counted: string) => `${count} ${counted}`

function storeOver(counter: TurnCounter) {
  return class Store implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = (key, done, windowMs = 0) => {
      const [count = '', counted = ''] = key.split(/ (.*)/s)
      counter.take(counted, Number(count), windowMs).then(
        ({ taken, leftMs }) => done(null, { current: taken, ttl: leftMs }),
        (error) => done(error),
      )
    }

    child(): Store {
      return this
    }
  }
}
