-- Renews the lease and tells that the station is alive, and how far its clock is ahead.
--
-- KEYS[1]  lease
-- KEYS[2]  station time at which a holder was last seen
-- KEYS[3]  how far the station's clock is ahead of the wall clock
-- KEYS[4]  the time in KEYS[2] beside the monotonic clock of the holder's machine
-- ARGV[1]  id of the holder
-- ARGV[2]  station time, ms
-- ARGV[3]  how far the station's clock is ahead, ms
-- ARGV[4]  anchor
-- Returns  how far the clock was ahead before, ms; nil when the lease is held by another worker
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local before = redis.call('GET', KEYS[3]) or '0'
redis.call('PERSIST', KEYS[1])
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[3], ARGV[3])
redis.call('SET', KEYS[4], ARGV[4])
return before
