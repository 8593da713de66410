import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { openRedis } from './connection.ts'

const log = pino({ level: 'silent' })

t.test('a connection that opens and then lets nothing pass is made anew', async (t) => {
  const { port } = await startRedis(t)
  let letsPass = false
  const way = createServer((client) => {
    client.on('error', () => {})
    if (!letsPass) return client.resume()
    const server = connect(port, '127.0.0.1')
    client.pipe(server).pipe(client)
    server.on('error', () => client.destroy())
    client.on('close', () => server.destroy())
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  t.teardown(() => way.close())
  const opening = openRedis(`redis://127.0.0.1:${(way.address() as AddressInfo).port}`, log, true)
  await once(way, 'connection')
  letsPass = true
  const redis = await opening
  t.teardown(() => redis.disconnect())
  t.equal(await redis.ping(), 'PONG')
})

t.test('a Redis that refuses is not said to be silent, and is not waited for', async (t) => {
  const { url, port } = await startRedis(t)
  const said: string[] = []
  const told = pino({ level: 'warn' }, { write: (line) => said.push(line) })
  const withPassword = `redis://:wrong@127.0.0.1:${port}`
  const owner = await openRedis(url, log, true)
  t.teardown(() => owner.disconnect())
  await owner.config('SET', 'requirepass', 'right')
  await t.rejects(openRedis(withPassword, told, false), {
    message: /^Redis cannot be used \(REDIS_URL\): WRONGPASS/,
  })
  t.match(said.join(), /Redis refuses this connection/)
  t.notMatch(said.join(), /does not answer|wrong/)
})
