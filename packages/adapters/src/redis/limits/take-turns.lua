-- Takes turns in the current window, or begins a new one.
--
-- KEYS[1]  turns taken in the window
-- ARGV[1]  turns to take
-- ARGV[2]  length of a window, ms
-- Returns  { turns taken in the window including these, rest of the window in ms }
local taken = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { taken, left }
