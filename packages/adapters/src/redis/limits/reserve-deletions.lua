-- Reserves the deletions of a job when the quota has room for all of them. A job that already has a reservation keeps it.
--
-- KEYS[1]  deletions of each job of a helper in one period (hash)
-- ARGV[1]  id of the job
-- ARGV[2]  deletions to reserve
-- ARGV[3]  quota of the period
-- ARGV[4]  time to live of the hash, s
-- Returns  nil when reserved, else the rest of the quota, which is too small
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return false end
local remaining = tonumber(ARGV[3])
for _, deletions in ipairs(redis.call('HVALS', KEYS[1])) do remaining = remaining - tonumber(deletions) end
if tonumber(ARGV[2]) > remaining then return math.max(0, remaining) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return false
