import t from 'tap'
import { readConfig } from '../config.ts'

t.test('sentinels name the primary of the Redis whose password is in REDIS_URL', async (t) => {
  const url = 'redis://:secret@redis:6379/2'
  const named = { REDIS_URL: url, REDIS_SENTINELS: '10.0.0.1, [::1]:5000,redis-3:26380' }
  const { config } = readConfig({ JWT_SECRET: 'x', ...named })
  const sentinels = [
    { host: '10.0.0.1', port: 26_379 },
    { host: '::1', port: 5000 },
    { host: 'redis-3', port: 26_380 },
  ]
  t.same(config.redis, { url, sentinels, name: 'solstice', sentinelPassword: '' })
})

t.test('several PostgreSQL may be named, of which the one that accepts writes is used', async (t) => {
  const read = (DATABASE_URL: string) =>
    readConfig({ JWT_SECRET: 'x', DATA_PROVIDER: 'sql', DATABASE_URL }).config.database
  const url = 'postgres://radio:secret@one:5432,two:5432/radio?target_session_attrs=read-write'
  t.match(read(url), { url })
  t.match(
    t.throws(() => read(url.replace('read-write', 'standby'))),
    { problems: [/^DATABASE_URL: target_session_attrs can only be read-write$/] },
  )
})
