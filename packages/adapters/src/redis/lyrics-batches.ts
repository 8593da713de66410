import { randomUUID } from 'node:crypto'
import type { LyricsBatchResult } from '@solstice/contracts'
import type { LyricsBatches } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from './connection.ts'

const resultsKey = (jobId: string) => `${PREFIX}lyrics-batch:${jobId}`

/** An hour longer than the job itself is kept. */
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

/** The results of lyrics batches, each entry marked with the run that added it. */
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
  }
}
