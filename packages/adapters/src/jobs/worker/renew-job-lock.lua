-- Renews the lock of a running job, also one that expired while no other process took the job.
--
-- KEYS[1]  lock of the job
-- KEYS[2]  set of jobs that BullMQ suspects to be stalled
-- KEYS[3]  list of active jobs
-- ARGV[1]  token of the worker
-- ARGV[2]  id of the job
-- ARGV[3]  time to live of the lock, ms
-- Returns  1 when renewed, 0 when the job is no longer this worker's
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if not holder and not redis.call('LPOS', KEYS[3], ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('SREM', KEYS[2], ARGV[2])
return 1
