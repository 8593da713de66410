-- Lets a turn expire after a pause, if it is still this holder's.
--
-- KEYS[1]  turn
-- ARGV[1]  token of the holder
-- ARGV[2]  rest of the pause, ms
-- Returns  1 when the turn will expire, 0 when it is over
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
