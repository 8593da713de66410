import type { MountId, StationClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'

const GONE_AFTER_MS = 30_000
const EXPIRE_S = 60
/** More than this many of a mount are not told apart. */
const MAX_LISTENERS = 200_000
const AT_ONCE = 1_000

const keyOf = (mount: MountId) => `${PREFIX}hls:${mount}`

/** Listeners of playlists, counted by all replicas together: a player may ask any of them. */
export interface HlsListeners {
  /**
   * Notes who asked for the playlist of a mount since the last call, and who left it for another one.
   *
   * @returns how many asked in the last 30 s, at any replica.
   * @throws while Redis is unavailable.
   */
  note(mount: MountId, seen: readonly string[], left: readonly string[]): Promise<number>
}

export function openHlsListeners(redis: Redis, clock: StationClock): HlsListeners {
  return {
    async note(mount, seen, left) {
      const key = keyOf(mount)
      const nowMs = clock.nowMs()
      const work = redis.multi()
      for (let at = 0; at < seen.length; at += AT_ONCE)
        work.zadd(key, ...seen.slice(at, at + AT_ONCE).flatMap((listener) => [nowMs, listener]))
      if (left.length > 0) work.zrem(key, ...left)
      work.zremrangebyscore(key, '-inf', nowMs - GONE_AFTER_MS)
      work.zremrangebyrank(key, 0, -MAX_LISTENERS - 1)
      work.expire(key, EXPIRE_S)
      work.zcard(key)
      const replies = await answered(redis, work.exec())
      const [error, count] = replies?.at(-1) ?? [new Error('no answer'), 0]
      if (error) throw error
      return Number(count)
    },
  }
}
