import { sleep } from '@solstice/station'
import t from 'tap'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { openBus } from '../../../../tests/harness/stations/bus.ts'
import { until } from '../../../../tests/harness/until.ts'

t.test('while Redis is away it is not asked more and more', async (t) => {
  const server = await startRedis(t)
  const { bus, redis } = await openBus(t, server.url)
  await server.process.end()
  await until('Redis is missed', () => redis.status !== 'ready')
  let asked = 0
  const ping = redis.ping.bind(redis) as () => Promise<'PONG'>
  redis.ping = (() => {
    asked++
    return ping()
  }) as typeof redis.ping
  // Longer than from one heartbeat to the next.
  await sleep(1_100)
  t.equal(asked, 0)
  t.notOk(bus.isConnected())
  await server.restart()
  await until('Redis is found again', () => bus.isConnected())
})
