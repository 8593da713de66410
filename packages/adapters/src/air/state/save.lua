-- Saves a state in one write: its head with what is due, the blocks that it needs more and less than the state before, and the
-- news of it. Redis refuses all of it when the id is not above the last one. Nothing is saved of a command whose sender gave up.
--
-- KEYS[1]  stream of the state; also the channel of its heads
-- KEYS[2]  hash of blocks; also the channel of new ones
-- KEYS[3…] where it is kept that a command was given up, for each whose outcome is due
-- ARGV[1]  id of the entry
-- ARGV[2]  head of the state
-- ARGV[3]  what is due
-- ARGV[4]  'told' to publish the new blocks as well
-- ARGV[5]  number of new blocks
-- ARGV[6…] key and text of each new block, then the keys of blocks to delete
-- Returns  number of blocks now, or -1 when a command was given up
for i = 3, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then return -1 end
end
redis.call('XADD', KEYS[1], 'MAXLEN', 1, ARGV[1], 'state', ARGV[2], 'due', ARGV[3])
local added = 5 + 2 * tonumber(ARGV[5])
for i = 6, added, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
  if ARGV[4] == 'told' then redis.call('PUBLISH', KEYS[2], ARGV[i] .. ' ' .. ARGV[i + 1]) end
end
for i = added + 1, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
redis.call('PUBLISH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
return redis.call('HLEN', KEYS[2])
