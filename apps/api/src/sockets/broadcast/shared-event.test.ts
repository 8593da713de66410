import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, type Socket } from 'socket.io'
import t, { type Test } from 'tap'
import { openSocket } from '../../../../../tests/harness/people/socket-client.ts'
import { until } from '../../../../../tests/harness/until.ts'
import type { ServerEmits } from '../dispatch.ts'
import { type ClientSocket, sendShared } from './shared-event.ts'

type Transport = 'websocket' | 'polling'

/** A bare server of Socket.IO. */
async function server(t: Test) {
  const http = createServer()
  const io = new Server<Record<string, never>, ServerEmits>(http)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.teardown(() => io.close())
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  /** Both ends of a connection; `packets` are those that Engine.IO made for it. */
  const join = async (transport: Transport) => {
    const connected = once(io, 'connection')
    const client = openSocket(t, url, { transports: [transport] })
    const [socket] = (await connected) as [ClientSocket]
    await isFree(socket)
    const packets: unknown[] = []
    socket.conn.on('packetCreate', (packet) => packets.push(packet))
    return { client, socket, packets }
  }
  return { join }
}

const EVENT = 'told'

function isFree({ conn }: ClientSocket) {
  return until('nothing is on its way', () => (conn.transport as { writable?: boolean }).writable === true)
}

/** As groups send it: the others get it from Socket.IO. */
function tell(socket: ClientSocket, payload: unknown) {
  for (const other of sendShared([socket], EVENT, [payload])) emit(other, payload)
}

/** An event that the contract does not have, to one socket. */
function emit(socket: ClientSocket, payload: unknown) {
  ;(socket as unknown as Socket).emit(EVENT, payload)
}

t.test('a message of any length arrives as it was sent, and does not pass Engine.IO', async (t) => {
  const { join } = await server(t)
  const { client, socket, packets } = await join('websocket')
  const lengthOf = (text: string) => Buffer.byteLength(`42["${EVENT}","${text}"]`)
  // The head of a frame has two bytes up to a length of 125, four up to 65 535, and ten from there on.
  const lengths = [14, 124, 125, 126, 127, 1_800, 65_534, 65_535, 65_536, 65_537, 400_000]
  const payloads = lengths.map((length) => 'x'.repeat(length - lengthOf('')))
  t.same(payloads.map(lengthOf), lengths)
  payloads.push('Сонце ☀ 🌞', 'я'.repeat(40_000))
  for (const payload of payloads) tell(socket, payload)
  await until('all have come', () => client.all(EVENT).length === payloads.length)
  t.same(client.all(EVENT), payloads)
  t.same(packets, [])
})

t.test('what waits goes first, also for a client that polls', async (t) => {
  const { join } = await server(t)
  const both = [await join('websocket'), await join('polling')]
  for (const { client, socket } of both) {
    tell(socket, 1)
    emit(socket, 2)
    tell(socket, 3)
    tell(socket, 4)
    await until('all have come', () => client.all(EVENT).length === 4)
    t.same(client.all(EVENT), [1, 2, 3, 4])
  }
  t.same(
    both.map(({ packets }) => packets.length),
    [3, 4],
    'only what stood behind another went by Engine.IO, and all that was polled',
  )
})

t.test(
  'a client that does not read gets everything later, in order, and what it has not read is counted',
  async (t) => {
    const { join } = await server(t)
    const { client, socket, packets } = await join('websocket')
    const { ws } = client.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }
    ws.pause()
    const sent = Array.from({ length: 200 }, (_, i) => `${i} ${'x'.repeat(100_000)}`)
    for (const payload of sent) tell(socket, payload)
    t.ok(
      packets.length > 100,
      `${packets.length} of 200 were handed to Engine.IO, which tells those who count`,
    )
    ws.resume()
    await until('all have come', () => client.all(EVENT).length === sent.length)
    t.same(client.all(EVENT), sent)
    await isFree(socket)
    const before = packets.length
    tell(socket, 'more')
    await client.first<string>(EVENT, (payload) => payload === 'more')
    t.equal(packets.length, before, 'and it is written to straight again')
  },
)

t.test('who has gone is left to Socket.IO', async (t) => {
  const { join } = await server(t)
  const [gone, well] = [await join('websocket'), await join('websocket')]
  const closed = once(gone.socket.conn, 'close')
  gone.client.socket.disconnect()
  await closed
  t.same(sendShared([gone.socket, well.socket], EVENT, [1]), [gone.socket])
  t.equal(await well.client.first(EVENT), 1)
})
