import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../../../tests/harness/processes/processes.ts'
import { openRedis } from '../connection.ts'
import { openTurnCounter } from './turns.ts'

const server = await startRedis(t)
const open = async () => {
  const redis = await openRedis(server.url, pino({ level: 'silent' }), false)
  t.teardown(() => redis.disconnect())
  return { redis, counter: openTurnCounter(redis) }
}

t.test('turns are counted by all replicas in one window, which the first of them begins', async (t) => {
  const [here, there] = await Promise.all([open(), open()])
  t.same(await here.counter.take('a', 1, 60_000), { taken: 1, leftMs: 60_000 })
  const second = await there.counter.take('a', 3, 3_600_000)
  t.equal(second.taken, 4)
  t.ok(second.leftMs <= 60_000, 'later turns leave the window as it is')
  t.equal((await here.counter.take('b', 2, 60_000)).taken, 2, 'others are counted for themselves')

  await here.redis.pexpire('solstice:limit:a', 0)
  t.same(await there.counter.take('a', 1, 30_000), { taken: 1, leftMs: 30_000 }, 'a new window')
})

t.test('nobody counts while Redis is away', async (t) => {
  const { redis, counter } = await open()
  redis.disconnect()
  await t.rejects(counter.take('c', 1, 60_000))
})
