-- Releases those of the leases that are still the holder's.
--
-- KEYS     leases
-- ARGV[1]  id of the holder
-- Returns  1
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
end
return 1
