import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Failure, type VideoTools } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Config } from './config.ts'
import { answered, PREFIX } from './redis.ts'

const LOOKED_UP_FOR_MS = 60_000
/** A tool that does not say its version in this time says nothing at all. */
const ANSWER_LIMIT_MS = 10_000
const COOKIES = `${PREFIX}video-cookies`
const COOKIES_TTL_S = 24 * 60 * 60

/** The programs that video import takes, and the cookies it may use, shared by all processes through Redis. */
export function openVideoTools(
  { videodownPath, ffmpegPath }: Pick<Config, 'videodownPath' | 'ffmpegPath'>,
  redis: Redis,
): VideoTools {
  const lookups = new Map<string, { atMs: number; found: Promise<boolean> }>()
  const isThere = (program: string, flag: string) => {
    const known = lookups.get(program)
    if (known && performance.now() - known.atMs < LOOKED_UP_FOR_MS) return known.found
    const found = promisify(execFile)(program, [flag], {
      timeout: ANSWER_LIMIT_MS,
      killSignal: 'SIGKILL',
    }).then(
      () => true,
      () => false,
    )
    lookups.set(program, { atMs: performance.now(), found })
    return found
  }
  const whileRedisAnswers = async (writing: () => Promise<unknown>) => {
    if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
    await answered(redis, writing()).catch(() => {
      throw new Failure('AIR_UNAVAILABLE')
    })
  }

  return {
    async find() {
      const [downloader, ffmpeg] = await Promise.all([
        isThere(videodownPath || 'yt-dlp', '--version'),
        isThere(ffmpegPath, '-version'),
      ])
      return { downloader, ffmpeg }
    },
    keepCookies: (cookies) => whileRedisAnswers(() => redis.set(COOKIES, cookies, 'EX', COOKIES_TTL_S)),
    forgetCookies: () => whileRedisAnswers(() => redis.del(COOKIES)),
  }
}
