-- Reads the wall clock and the station's agreement on time at one moment.
--
-- KEYS[1]  how far the station's clock is ahead of the wall clock
-- KEYS[2]  station time at which a holder was last seen
-- KEYS[3]  the time in KEYS[2] beside the monotonic clock of the holder's machine
-- Returns  { seconds, microseconds, KEYS[1], KEYS[2], KEYS[3] }
local time = redis.call('TIME')
return { time[1], time[2], redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3]) }
