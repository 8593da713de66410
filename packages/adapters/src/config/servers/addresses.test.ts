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
