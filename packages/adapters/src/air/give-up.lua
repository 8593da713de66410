-- The sender of a command gives up on its outcome, unless there is one. A state that would tell of the command is not saved any more.
--
-- KEYS[1]  outcome of the command
-- KEYS[2]  stream of the state
-- KEYS[3]  where it is kept that the command was given up
-- ARGV[1]  token of the command
-- ARGV[2]  time for which that is kept, ms
-- Returns  { outcome }, or { false, what is due } when the saved state owes it; nil when it was given up
local outcome = redis.call('GET', KEYS[1])
if outcome then return { outcome } end
local saved = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local due = saved and saved[2][4]
if due and string.find(due, '"token":"' .. ARGV[1] .. '"', 1, true) then return { false, due } end
redis.call('SET', KEYS[3], 1, 'PX', ARGV[2])
return false
