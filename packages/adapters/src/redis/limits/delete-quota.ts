import { type DeleteQuota, dateNow, Failure, lastHour, type WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'

/** Outlives the period and any job that settles late. */
const KEPT_S = 3 * 24 * 60 * 60

const RESERVE = readScript(new URL('./reserve-deletions.lua', import.meta.url))
const SETTLE = readScript(new URL('./settle-deletions.lua', import.meta.url))

/** Opens the daily quota, whose day begins at `logPurgeHour` by the wall clock. 0 deletions per day means no limit. */
export function openDeleteQuota(
  redis: Redis,
  clock: WallClock,
  rule: { deleteQuotaPerDay: number; logPurgeHour: number; timeZone: string },
): DeleteQuota {
  const limit = rule.deleteQuotaPerDay
  const keyOf = (adminId: string) =>
    `${PREFIX}deletions:${adminId}:${lastHour(rule.logPurgeHour, rule.timeZone, dateNow(clock))}`
  return {
    async reserve(adminId, jobId, deletions) {
      if (limit === 0 || deletions === 0) return
      const reserving = redis.eval(RESERVE, 1, keyOf(adminId), jobId, deletions, limit, KEPT_S)
      const remaining = await answered(redis, reserving)
      if (remaining !== null)
        throw new Failure('DELETE_QUOTA_EXCEEDED', { remaining: Number(remaining), limit })
    },
    async settle(adminId, jobId, deletions) {
      if (limit === 0) return
      await answered(redis, redis.eval(SETTLE, 1, keyOf(adminId), jobId, deletions))
    },
    async left(adminId) {
      if (limit === 0) return null
      const reserved = await answered(redis, redis.hvals(keyOf(adminId)))
      const remaining = reserved.reduce((left, deletions) => left - Number(deletions), limit)
      return { remaining: Math.max(0, remaining), limit }
    },
  }
}
