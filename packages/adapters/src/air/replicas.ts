import type { Replicas } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { RedisClock } from '../redis/clock/station-clock.ts'
import { answered, PREFIX } from '../redis/connection.ts'

/** A replica that says nothing for so long is taken for dead. */
const SILENCE_MS = 6_000
const SAY_EVERY_MS = 2_000

/** Of all that may be there; whoever is not any more is taken out when it is noticed. */
const NAMES = `${PREFIX}replicas`

const keyOf = (replica: string) => `${PREFIX}replica:${replica}`

/** A key per replica, which ends by itself. */
export function openReplicas(redis: Redis, clock: Pick<RedisClock, 'onSet'>): Replicas {
  // While Redis was away nobody could say anything.
  let backSinceMs = performance.now()
  const allowSilence = () => {
    backSinceMs = performance.now()
  }
  redis.on('ready', allowSilence)
  // Keys end by the wall clock: when that is set forward, all of them at once.
  clock.onSet(allowSilence)

  return {
    stayAlive(replica) {
      const say = () => {
        if (redis.status !== 'ready') return
        redis
          .multi()
          .set(keyOf(replica), 1, 'PX', SILENCE_MS)
          .sadd(NAMES, replica)
          .exec()
          .catch(() => {})
      }
      say()
      redis.on('ready', say)
      const saying = setInterval(say, SAY_EVERY_MS)
      return () => {
        clearInterval(saying)
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
      if (performance.now() - backSinceMs < SILENCE_MS) return []
      return replicas.filter((_, index) => found[index] === null)
    },
  }
}
