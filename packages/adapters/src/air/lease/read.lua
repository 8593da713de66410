-- Reads the lease. Behind is-held.lua.
--
-- KEYS[1]  lease
-- KEYS[2]  station time at which a holder was last seen
-- KEYS[3]  how far the station's clock is ahead of the wall clock
-- KEYS[4]  last fencing token
-- ARGV[1]  duration of a lease, ms
-- Returns  { 1 while held or 0, last fencing token }
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + time[2] / 1000 + (redis.call('GET', KEYS[3]) or 0)
local held = is_held(KEYS[1], KEYS[2], now_ms, tonumber(ARGV[1]))
return { held and 1 or 0, redis.call('GET', KEYS[4]) or '0' }
