-- Acquires the lease if it is free, if its holder was not seen for the duration of a lease, or if an earlier attempt of the
-- same holder acquired it and its answer got lost. Behind is-held.lua.
--
-- The fencing token is the first half of every stream id that this holder will write, so Redis itself refuses a worker that
-- lost the lease. It is above all ids of both streams, and at least the time in ms, so that it rises even when Redis was
-- emptied. Both streams are fenced at once, before anybody reads where they end.
--
-- KEYS[1]  lease
-- KEYS[2]  last fencing token
-- KEYS[3]  stream of the state
-- KEYS[4]  stream of the sound
-- KEYS[5]  station time at which a holder was last seen
-- ARGV[1]  id of the holder
-- ARGV[2]  duration of the lease, ms
-- ARGV[3]  entries that the stream of the sound keeps
-- ARGV[4]  station time, ms
-- Returns  { fencing token, station time at which the holder before was last seen }, or nil while the lease is held
if redis.call('GET', KEYS[1]) ~= ARGV[1] and is_held(KEYS[1], KEYS[5], ARGV[4], tonumber(ARGV[2])) then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local token = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, math.floor(time[1] * 1000 + time[2] / 1000))
local saved = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
local sent = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)[1]
for _, last in pairs({ saved or false, sent or false }) do
  if last then token = math.max(token, tonumber(string.match(last[1], '^%d+')) + 1) end
end
redis.call('SET', KEYS[2], string.format('%.0f', token))
local fence = string.format('%.0f', token) .. '-0'
if saved then redis.call('XADD', KEYS[3], 'MAXLEN', 1, fence, unpack(saved[2])) end
redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[3], fence, 'claim', ARGV[1])
return { string.format('%.0f', token), redis.call('GET', KEYS[5]) }
