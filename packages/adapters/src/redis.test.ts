import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../tests/harness/processes.ts'
import { openRedis } from './redis.ts'

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
