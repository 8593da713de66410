-- Keeps the outcome of a command and tells its sender. A command that was sent again after a failover, because the new primary
-- did not know of it, may be read twice: what was answered first counts.
--
-- KEYS[1]  outcome of the command
-- KEYS[2]  channel of its sender
-- ARGV[1]  token of the command, as JSON
-- ARGV[2]  outcome, as JSON
-- ARGV[3]  time for which it is kept, ms
-- Returns  number of processes that heard it
local outcome = redis.call('GET', KEYS[1]) or ARGV[2]
redis.call('SET', KEYS[1], outcome, 'PX', ARGV[3])
return redis.call('PUBLISH', KEYS[2], '{"token":' .. ARGV[1] .. ',"outcome":' .. outcome .. '}')
