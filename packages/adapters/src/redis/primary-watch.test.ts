import { pino } from 'pino'
import t from 'tap'
import { startRedisGroup } from '../../../../tests/harness/servers/sentinels.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'
import { readConfig } from '../config/config.ts'
import { anotherConnection, openRedis } from './connection.ts'

t.test('a connection that waits for news leaves a server that another one replaces', async (t) => {
  const group = await startRedisGroup(t, 2)
  const { config } = readConfig({ JWT_SECRET: '-', ...group.env })
  const redis = await openRedis(config.redis, pino({ level: 'silent' }), true)
  t.teardown(() => redis.disconnect())
  const reader = anotherConnection(redis)
  t.teardown(() => reader.disconnect())
  await reader.ping()
  let read: unknown = null
  const reading = reader.xread('BLOCK', 0, 'STREAMS', 'news', '$').then((news) => {
    read = news
  })

  // Its connections stay open, and nothing is ever said on them.
  await group.hangPrimary()
  await until('the news of the new primary are read', async () => {
    await group.cli('xadd', 'news', '*', 'from', 'the new primary')
    return read !== null
  })
  await inTime('the reader has read', reading)
  t.match(read, [['news', [[String, ['from', 'the new primary']]]]])
  t.equal(await redis.set('key', 'value'), 'OK')
})
