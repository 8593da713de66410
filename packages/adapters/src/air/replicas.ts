import { type Replicas, repeatTogether } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { RedisClock } from '../redis/clock/station-clock.ts'
import { answered, PREFIX } from '../redis/connection.ts'

/** A replica that is silent for longer counts as dead. */
const SILENCE_TIMEOUT_MS = 6_000
const RENEW_EVERY_MS = 2_000

/** Set of the replicas that may be alive; dead ones are removed when noticed. */
const NAMES = `${PREFIX}replicas`

const keyOf = (replica: string) => `${PREFIX}replica:${replica}`

/** Each replica that is alive has a key, which expires by itself. */
export function openReplicas(redis: Redis, clock: Pick<RedisClock, 'onSet'>): Replicas {
  // Without Redis no replica could renew its key.
  let backSinceMs = performance.now()
  const allowSilence = () => {
    backSinceMs = performance.now()
  }
  redis.on('ready', allowSilence)
  // Keys expire by the wall clock: when that is set forward, all of them at once.
  clock.onSet(allowSilence)

  return {
    stayAlive(replica) {
      const say = () => {
        if (redis.status !== 'ready') return
        redis
          .multi()
          .set(keyOf(replica), 1, 'PX', SILENCE_TIMEOUT_MS)
          .sadd(NAMES, replica)
          .exec()
          .catch(() => {})
      }
      say()
      redis.on('ready', say)
      const stop = repeatTogether(RENEW_EVERY_MS, say)
      return () => {
        stop()
        redis.off('ready', say)
        if (redis.status === 'ready') redis.del(keyOf(replica)).catch(() => {})
      }
    },

    async present() {
      const names = await answered(redis, redis.smembers(NAMES))
      if (names.length === 0) return []
      const found = await answered(redis, redis.mget(names.map(keyOf)))
      const gone = names.filter((_, index) => found[index] === null)
      if (gone.length > 0) redis.srem(NAMES, ...gone).catch(() => {})
      return names.filter((_, index) => found[index] !== null)
    },

    async missing(replicas) {
      if (replicas.length === 0) return []
      const found = await answered(redis, redis.mget(replicas.map(keyOf)))
      if (performance.now() - backSinceMs < SILENCE_TIMEOUT_MS) return []
      return replicas.filter((_, index) => found[index] === null)
    },
  }
}
