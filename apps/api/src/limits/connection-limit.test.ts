import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { limitConnections } from './connection-limit.ts'

async function open(t: Test, addressOf: (socket: Socket) => string | null) {
  const server = createServer((_, response) => response.end('answer'))
  const accepted: Socket[] = []
  const limit = limitConnections(server, addressOf, { max: 3 })
  server.on('connection', (socket) => accepted.push(socket))
  server.on('upgrade', (_, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  /** Connects and asks; tells what comes first. */
  const ask = async (...headers: string[]) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(['GET / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n'))
    const answer = once(socket, 'data').then(([data]) => String(data).split(' ')[1])
    return { socket, answer: await Promise.race([answer, once(socket, 'close').then(() => 'closed')]) }
  }
  return { accepted, limit, ask }
}

t.test('connections per address are limited, and one that ends makes room for another', async (t) => {
  const { accepted, ask } = await open(t, () => '203.0.113.7')
  const held = [await ask(), await ask(), await ask()]
  t.same(
    held.map(({ answer }) => answer),
    ['200', '200', '200'],
  )
  t.equal((await ask()).answer, 'closed')
  const gone = once(accepted[0]!, 'close')
  held[0]!.socket.destroy()
  await gone
  t.equal((await ask()).answer, '200')
})

t.test('addresses of one IPv6 network count together, those of another do not', async (t) => {
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:2::4']
  const { ask } = await open(t, () => addresses.shift() ?? '2001:db8:1:3::1')
  const answers = []
  for (let i = 0; i < 5; i++) answers.push((await ask()).answer)
  t.same(answers, ['200', '200', '200', 'closed', '200'])
})

t.test('a connection that became a WebSocket or a stream no longer counts', async (t) => {
  const { accepted, limit, ask } = await open(t, () => '203.0.113.7')
  for (let i = 0; i < 5; i++) t.equal((await ask('Connection: Upgrade', 'Upgrade: websocket')).answer, '101')
  for (let i = 0; i < 5; i++) {
    t.equal((await ask()).answer, '200')
    limit.release(accepted.at(-1)!)
  }
})

t.test('this machine and uncounted connections are never limited', async (t) => {
  for (const address of ['127.0.0.1', null]) {
    const { ask } = await open(t, () => address)
    for (let i = 0; i < 5; i++) t.equal((await ask()).answer, '200')
  }
})
