-- Writes blocks of a state that is saved next; nothing needs them before.
--
-- KEYS[1]  lease
-- KEYS[2]  hash of blocks
-- ARGV[1]  id of the holder
-- ARGV[2…] key and text of each block
-- Returns  1, or nil when the lease is held by another worker
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1
