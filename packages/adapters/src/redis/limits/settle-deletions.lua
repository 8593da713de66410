-- Replaces the deletions that a job reserved by those that it made. A job without an entry reserved in the period before.
--
-- KEYS[1]  deletions of each job of a helper in one period (hash)
-- ARGV[1]  id of the job
-- ARGV[2]  deletions made; 0 removes the entry
-- Returns  1 when the entry was removed, else 0
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[2] == '0' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
