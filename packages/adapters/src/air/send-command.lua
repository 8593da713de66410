-- Writes a command once: a connection that broke may send again what had arrived.
--
-- KEYS[1]  stream of commands
-- KEYS[2]  id of this command, for as long as it may be sent again
-- ARGV[1]  commands that the stream keeps, about
-- ARGV[2]  time to live of KEYS[2], ms
-- ARGV[3…] fields of the entry
-- Returns  id of the entry
local known = redis.call('GET', KEYS[2])
if known then return known end
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 3))
redis.call('SET', KEYS[2], id, 'PX', ARGV[2])
return id
