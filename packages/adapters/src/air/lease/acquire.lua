-- Acquires the lease if it is free, if its holder was not seen for the duration of a lease, or if an earlier attempt of the
-- same holder acquired it and its answer got lost. Behind is-held.lua.
--
-- The fencing token is the first half of every stream id that this holder will write, so Redis itself refuses a worker that
-- lost the lease. It is above all ids of the streams, and at least the time in ms, so that it rises even when Redis was
-- emptied. All streams are fenced at once, before anybody reads where they end.
--
-- KEYS[1]  lease
-- KEYS[2]  last fencing token
-- KEYS[3]  stream of the state
-- KEYS[4]  stream of the sound
-- KEYS[5]  station time at which a holder was last seen
-- KEYS[6]  how far the station's clock is ahead of the wall clock
-- KEYS[7…] streams of the sound of other mounts
-- ARGV[1]  id of the holder
-- ARGV[2]  duration of the lease, ms
-- ARGV[3]  entries that a stream of the sound keeps
-- ARGV[4]  station time, ms
-- Returns  { fencing token, station time at which the holder before was last seen }, or nil while the lease is held
local time = redis.call('TIME')
-- Either clock may be wrong: this one when the wall clock was just set, that of an attempt when it comes late from a worker that was cut
-- off. Only a holder whom both have not seen is gone.
local now_ms = time[1] * 1000 + time[2] / 1000 + (redis.call('GET', KEYS[6]) or 0)
local function is_held_at(at_ms) return is_held(KEYS[1], KEYS[5], at_ms, tonumber(ARGV[2])) end
if redis.call('GET', KEYS[1]) ~= ARGV[1] and (is_held_at(ARGV[4]) or is_held_at(now_ms)) then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local token = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, math.floor(time[1] * 1000 + time[2] / 1000))
local saved = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
local lasts = { saved or false }
for i, key in ipairs(KEYS) do
  if i == 4 or i > 6 then lasts[#lasts + 1] = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1] or false end
end
for _, last in pairs(lasts) do
  if last then token = math.max(token, tonumber(string.match(last[1], '^%d+')) + 1) end
end
redis.call('SET', KEYS[2], string.format('%.0f', token))
local fence = string.format('%.0f', token) .. '-0'
if saved then redis.call('XADD', KEYS[3], 'MAXLEN', 1, fence, unpack(saved[2])) end
for i, key in ipairs(KEYS) do
  if i == 4 or i > 6 then redis.call('XADD', key, 'MAXLEN', ARGV[3], fence, 'claim', ARGV[1]) end
end
return { string.format('%.0f', token), redis.call('GET', KEYS[5]) }
