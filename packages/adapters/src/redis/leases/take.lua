-- Takes or renews all leases or none, so that two holders never wait for each other.
--
-- KEYS     leases
-- ARGV[1]  id of the holder
-- ARGV[2]  duration of a lease, ms
-- Returns  1 when taken, 0 while another holder has one of them
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if holder and holder ~= ARGV[1] then return 0 end
end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return 1
