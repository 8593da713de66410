import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { LyricsBatchResult } from '@solstice/contracts'
import type { LyricsBatches } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from './redis.ts'

const TURN_KEY = `${PREFIX}lyrics-turn`
const resultsKey = (jobId: string) => `${PREFIX}lyrics-batch:${jobId}`

/** From one lookup to the next: the service is a guest's. */
const PACE_MS = 300
/** Longer than a lookup may take. */
const TURN_LIMIT_MS = 15_000
const LOOK_AGAIN_MS = 50
/** A little longer than the job itself can be read. */
const KEPT_S = 25 * 60 * 60

/** Adds an entry as number ARGV[2]; said twice, as after a lost answer, it is there once. */
const ADD = `
local length = redis.call('LLEN', KEYS[1])
if length == tonumber(ARGV[2]) then
  redis.call('RPUSH', KEYS[1], ARGV[1])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  return 1
end
return redis.call('LINDEX', KEYS[1], ARGV[2]) == ARGV[1] and 1 or 0
`

/** Lets the turn end at its time, if it is still this holder's. */
const END_TURN = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`

/** For one run of one batch: what another run adds is not its own. */
export function openLyricsBatches(redis: Redis): LyricsBatches {
  const run = randomUUID()
  return {
    async results(jobId) {
      const entries = await redis.lrange(resultsKey(jobId), 0, -1)
      return entries.map((entry) => JSON.parse(entry.slice(entry.indexOf(' ') + 1)) as LyricsBatchResult)
    },

    async add(jobId, index, result) {
      const entry = `${run} ${JSON.stringify(result)}`
      return (await redis.eval(ADD, 1, resultsKey(jobId), entry, index, KEPT_S)) === 1
    },

    async takeTurn(stopping) {
      const token = randomUUID()
      while (!(await redis.set(TURN_KEY, token, 'PX', TURN_LIMIT_MS, 'NX')))
        await wait(LOOK_AGAIN_MS, undefined, { signal: stopping })
      const begunMs = performance.now()
      return async () => {
        const leftMs = Math.max(1, Math.ceil(PACE_MS - (performance.now() - begunMs)))
        await redis.eval(END_TURN, 1, TURN_KEY, token, leftMs)
      }
    },
  }
}
