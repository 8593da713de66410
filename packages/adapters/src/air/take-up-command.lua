-- The lease holder takes a command out of the stream, so that its sender can no longer take it back.
--
-- KEYS[1]  lease
-- KEYS[2]  stream of commands
-- ARGV[1]  id of the holder
-- ARGV[2]  id of the command
-- Returns  its age by Redis's clock, ms; nil when it is gone or the lease is held by another worker
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('XDEL', KEYS[2], ARGV[2]) == 0 then return false end
local time = redis.call('TIME')
return math.floor(time[1] * 1000 + time[2] / 1000) - tonumber(string.match(ARGV[2], '^%d+'))
