-- Sets how far the station's clock is ahead, unless another process has changed it since it was read.
--
-- KEYS[1]  how far the station's clock is ahead of the wall clock
-- ARGV[1]  the value that was read, '0' when there was none
-- ARGV[2]  how far the station's clock is ahead, ms
-- Returns  1 when set, 0 when the value has changed
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
