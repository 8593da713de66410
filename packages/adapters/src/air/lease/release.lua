-- Releases the lease and tells workers that wait for it.
--
-- KEYS[1]  lease
-- KEYS[2]  channel of releases
-- ARGV[1]  id of the holder
-- Returns  1 when released, 0 when the lease is held by another worker
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PUBLISH', KEYS[2], '')
return redis.call('DEL', KEYS[1])
