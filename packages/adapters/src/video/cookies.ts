import { Failure } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../redis/connection.ts'

const KEY = `${PREFIX}video-cookies`
const TTL_S = 24 * 60 * 60
const JAR_HEADER = '# Netscape HTTP Cookie File'

/** Cookies of the video site, shared by all processes. */
export interface VideoCookies {
  /** The content of a cookie jar; null when there are none, or Redis is away. */
  jar(): Promise<string | null>
  /** @throws Failure AIR_UNAVAILABLE while Redis is away. */
  keep(cookies: string): Promise<void>
  /** @throws Failure AIR_UNAVAILABLE while Redis is away. */
  forget(): Promise<void>
}

export function openVideoCookies(redis: Redis): VideoCookies {
  const write = async (command: () => Promise<unknown>) => {
    if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
    await answered(redis, command()).catch(() => {
      throw new Failure('AIR_UNAVAILABLE')
    })
  }
  return {
    async jar() {
      const cookies = await answered(redis, redis.get(KEY)).catch(() => null)
      // The downloader rejects a jar without this first line.
      return cookies && (cookies.startsWith('# ') ? cookies : `${JAR_HEADER}\n${cookies}`)
    },
    keep: (cookies) => write(() => redis.set(KEY, cookies, 'EX', TTL_S)),
    forget: () => write(() => redis.del(KEY)),
  }
}
