import { type DeleteQuota, dateNow, Failure, lastHour, type WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from './connection.ts'

const KEPT_S = 3 * 24 * 60 * 60

/** One hash per helper and period with the deletions of each job. Returns the rest of the quota when it is too small. */
const RESERVE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return false end
local remaining = tonumber(ARGV[3])
for _, deletions in ipairs(redis.call('HVALS', KEYS[1])) do remaining = remaining - tonumber(deletions) end
if tonumber(ARGV[2]) > remaining then return math.max(0, remaining) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return false`

/** A job without an entry reserved in the period before. */
const SETTLE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[2] == '0' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])`

/** The quota of a day that begins at `logPurgeHour` by the wall clock. 0 deletions per day mean no limit. */
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
  }
}
