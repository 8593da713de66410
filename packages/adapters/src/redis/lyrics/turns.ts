import { randomUUID } from 'node:crypto'
import { type LyricsLane, type LyricsTurns, sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'

/** The lane of jobs has no suffix, so that it shares its key with versions that had no lanes. */
const keyOf = (lane: LyricsLane) => `${PREFIX}lyrics-turn${lane === 'jobs' ? '' : `:${lane}`}`

/** Spares the lyrics service, which others run for free. */
const PACE_MS = 300
/** Longer than the time limit of a lookup. */
const TURN_LIMIT_MS = 15_000
const LOOK_AGAIN_MS = 50

const END_TURN = readScript(new URL('./end-turn.lua', import.meta.url))

/** Opens turns at the lyrics service, shared by all processes of a station. */
export function openLyricsTurns(redis: Redis): LyricsTurns {
  return {
    async take(lane, stopping) {
      const key = keyOf(lane)
      const token = randomUUID()
      while (!(await answered(redis, redis.set(key, token, 'PX', TURN_LIMIT_MS, 'NX'))))
        await sleep(LOOK_AGAIN_MS, { signal: stopping })
      const begunMs = performance.now()
      return async () => {
        const leftMs = Math.max(1, Math.ceil(PACE_MS - (performance.now() - begunMs)))
        await answered(redis, redis.eval(END_TURN, 1, key, token, leftMs)).catch(() => {})
      }
    },
  }
}
