-- A function for the scripts that it is put in front of.
--
-- is_held(lease, alive, now_ms, lease_ms): whether a worker holds the lease. From its first renewal on the lease is timed by
-- the station's clock: Redis expires keys by the wall clock, and setting that would end a lease early or keep it long after
-- its holder died.
local function is_held(lease, alive, now_ms, lease_ms)
  local left_ms = redis.call('PTTL', lease)
  if left_ms == -2 then return false end
  if left_ms >= 0 and left_ms <= lease_ms then return true end
  local seen_ms = redis.call('GET', alive)
  return seen_ms and math.abs(now_ms - seen_ms) < lease_ms
end
