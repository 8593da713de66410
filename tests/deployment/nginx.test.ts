import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startNginx } from '../harness/servers/nginx.ts'
import { until } from '../harness/until.ts'

t.test('nginx limits the connections of an IPv6 network as a whole, and of no other', async (t) => {
  let held = 0
  const replica = createServer(({ url }, response) => {
    if (url?.endsWith('/held')) held++
    else response.end('answer')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    replica.closeAllConnections()
    replica.close()
  })
  await once(replica, 'listening')
  const { port } = replica.address() as AddressInfo
  const { url } = await startNginx(t, [port], { isBehindProxy: true })
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const ask = (path: string, address: string) =>
    fetch(`${url}${path}`, { headers: { 'x-forwarded-for': address }, signal: leaving.signal })
  for (let i = 0; i < 50; i++) ask('/held', `2001:db8:1:2:${i.toString(16)}::a`).catch(() => {})
  for (let i = 0; i < 49; i++) ask('/held', '203.0.113.7').catch(() => {})
  for (let i = 0; i < 60; i++) ask('/socket.io/held', '203.0.113.9').catch(() => {})
  await until('all are held', () => held === 159)
  t.equal((await ask('/', '2001:db8:1:2:ffff::1')).status, 429)
  t.equal((await ask('/', '2001:db8:1:3::1')).status, 200, 'another network')
  t.equal((await ask('/', '2001:db8:1:20a::1')).status, 200, 'a line feed is a byte like others')
  t.equal((await ask('/', '203.0.113.8')).status, 200, 'of IPv4 the whole address counts')
  t.equal((await ask('/', '203.0.113.7')).status, 200, 'its fiftieth')
  t.equal((await ask('/', '203.0.113.9')).status, 200, 'sockets are counted by themselves')
})
