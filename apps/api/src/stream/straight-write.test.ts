import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import t, { type Test } from 'tap'
import { isFree, isOpen, lineTo, writeLine, writeStraight } from './straight-write.ts'

/** A connection over loopback; `viaStream` counts the writes that went by the stream of the server's end. */
async function connection(t: Test) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const write = socket.write.bind(socket)
  const counts = { viaStream: 0 }
  Object.assign(socket, {
    write: (bytes: Buffer) => {
      counts.viaStream++
      return write(bytes)
    },
  })
  t.teardown(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  return { client, socket, counts }
}

/** The first bytes that the client receives. */
async function received(client: Socket, length: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of client) {
    pieces.push(piece as Buffer)
    bytes += (piece as Buffer).length
    if (bytes >= length) break
  }
  return Buffer.concat(pieces)
}

/** Where the client has just read, the kernel has room again while the stream still waits. */
function writeWhileItReads(client: Socket, later: Buffer[], write: (bytes: Buffer) => void): void {
  client.on('data', () => {
    const bytes = later.shift()
    if (bytes) write(bytes)
  })
}

t.test('what the kernel takes at once does not pass the stream', async (t) => {
  const { client, socket, counts } = await connection(t)
  const [head, burst] = [Buffer.from('head\r\n\r\n'), randomBytes(16_384)]
  writeStraight(socket, head, burst)
  writeStraight(socket, burst)
  t.ok((await received(client, 8 + 2 * 16_384)).equals(Buffer.concat([head, burst, burst])))
  t.equal(counts.viaStream, 0)
  t.equal(socket.writableLength, 0)
})

t.test('a client that does not read gets everything later, in order', async (t) => {
  const { client, socket, counts } = await connection(t)
  const writes = Array.from({ length: 300 }, () => randomBytes(48_000))
  const write = (bytes: Buffer) => writeStraight(socket, bytes.subarray(0, 100), bytes.subarray(100))
  for (const bytes of writes.slice(0, 200)) write(bytes)
  t.ok(socket.writableLength > 1_000_000, 'the stream has what the kernel did not take')
  t.ok(counts.viaStream < 400, 'the kernel took the first writes')
  writeWhileItReads(client, writes.slice(200), write)
  t.ok((await received(client, 300 * 48_000)).equals(Buffer.concat(writes)))
  t.equal(socket.writableLength, 0)
  const before = counts.viaStream
  writeStraight(socket, Buffer.from('again'))
  t.equal(counts.viaStream, before, 'and the way is straight again')
})

t.test('a line is straight while the client reads, and free again when it has read all', async (t) => {
  const { client, socket, counts } = await connection(t)
  const line = lineTo(socket)
  t.ok(isFree(line))
  const writes = Array.from({ length: 300 }, () => randomBytes(48_000))
  for (const bytes of writes.slice(0, 200)) writeLine(line, bytes)
  t.notOk(isFree(line))
  t.ok(counts.viaStream > 0 && counts.viaStream < 200, 'the kernel took the first writes')
  writeWhileItReads(client, writes.slice(200), (bytes) => writeLine(line, bytes))
  t.ok((await received(client, 300 * 48_000)).equals(Buffer.concat(writes)))
  t.ok(isFree(line))
  const before = counts.viaStream
  writeLine(line, Buffer.from('again'))
  t.equal(counts.viaStream, before)
})

t.test('a line is closed at once with its socket, whose number another file may get', async (t) => {
  for (const end of ['destroy', 'resetAndDestroy'] as const) {
    const { socket } = await connection(t)
    const line = lineTo(socket)
    t.ok(isOpen(line))
    socket[end]()
    t.notOk(isOpen(line))
  }
})

t.test('the stream tells that a client has broken the connection off', async (t) => {
  const { client, socket } = await connection(t)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  client.resetAndDestroy()
  await once(client, 'close')
  while (!socket.destroyed) {
    writeStraight(socket, Buffer.alloc(1_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  t.doesNotThrow(() => writeStraight(socket, Buffer.from('too late')))
})

t.test('nothing follows the end of a stream', async (t) => {
  const { client, socket } = await connection(t)
  socket.on('error', () => {})
  socket.write('last')
  socket.end()
  writeStraight(socket, Buffer.from('too late'))
  t.equal((await received(client, 100)).toString(), 'last')
})

t.test('bytes for TLS and for what has no descriptor go by the stream', (t) => {
  const written: Buffer[] = []
  const streamed = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      written.push(bytes)
      done()
    },
  })
  writeStraight(streamed as Socket, Buffer.from('by the stream'))
  // Straight, this would come out of the test itself.
  Object.assign(streamed, { encrypted: true, _handle: { fd: 1 } })
  writeStraight(streamed as Socket, Buffer.from('to be encrypted'))
  const line = lineTo(streamed as Socket)
  writeLine(line, Buffer.from('a line, too'))
  t.same(written.map(String), ['by the stream', 'to be encrypted', 'a line, too'])
  t.ok(isOpen(line) && isFree(line))
  streamed.destroy()
  t.notOk(isOpen(line))
  t.end()
})
