import { randomUUID } from 'node:crypto'
import type { LyricsBatchResult } from '@solstice/contracts'
import type { LyricsBatches } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'

const resultsKey = (jobId: string) => `${PREFIX}lyrics-batch:${jobId}`

/** An hour longer than BullMQ keeps the job, so that a kept job has its results. */
const KEPT_S = 25 * 60 * 60

const ADD = readScript(new URL('./add-result.lua', import.meta.url))

/** Opens the results of lyrics batches; each entry is marked with the run that added it. */
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
