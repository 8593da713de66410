-- Adds a result to those of a batch. Repeated after a lost answer, it adds nothing.
--
-- KEYS[1]  results of the batch (list)
-- ARGV[1]  result, marked with the run that adds it
-- ARGV[2]  index of the result
-- ARGV[3]  time to live of the list, s
-- Returns  1 when the result is at its index, 0 when another one is or an earlier one is missing
local length = redis.call('LLEN', KEYS[1])
if length == tonumber(ARGV[2]) then
  redis.call('RPUSH', KEYS[1], ARGV[1])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  return 1
end
return redis.call('LINDEX', KEYS[1], ARGV[2]) == ARGV[1] and 1 or 0
