import type { Redis } from 'ioredis'
import { clockKeys } from '../../redis/clock/station-clock.ts'
import { answered } from '../../redis/connection.ts'
import { keys } from '../wire.ts'

/** For so long a holder that says nothing keeps the lease. */
export const LEASE_MS = 4_000

/**
 * Whether a worker holds the lease. From its first renewal on a lease is counted by the station's clock: Redis counts
 * expiries by the wall clock, and setting that would end a lease early or keep it long after its holder's death.
 */
export const IS_HELD = `
local function is_held(lease, alive, now_ms, lease_ms)
  local left_ms = redis.call('PTTL', lease)
  if left_ms == -2 then return false end
  if left_ms >= 0 and left_ms <= lease_ms then return true end
  local seen_ms = redis.call('GET', alive)
  return seen_ms and math.abs(now_ms - seen_ms) < lease_ms
end`

const READ = `${IS_HELD}
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + time[2] / 1000 + (redis.call('GET', KEYS[3]) or 0)
local held = is_held(KEYS[1], KEYS[2], now_ms, tonumber(ARGV[1]))
return { held and 1 or 0, redis.call('GET', KEYS[4]) or '0' }`

/** Whether a worker holds the lease now, and how often it was taken in the station's life, as far as Redis remembers. */
export async function readLease(redis: Redis): Promise<{ isHeld: boolean; fencingToken: number }> {
  const { alive, ahead } = clockKeys
  const reading = redis.eval(READ, 4, keys.lease, alive, ahead, keys.fencingToken, LEASE_MS)
  const [held, fencingToken] = (await answered(redis, reading)) as [number, string]
  return { isHeld: held === 1, fencingToken: Number(fencingToken) }
}
