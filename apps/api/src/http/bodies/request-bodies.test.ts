import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { defineRoute, failureBody } from '@solstice/contracts'
import { Failure, sleep } from '@solstice/station'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { openGate } from '../../../../../tests/harness/stations/gate.ts'
import { inTime, waiting } from '../../../../../tests/harness/until.ts'
import { type ContractOptions, useContract } from '../contract.ts'
import { refuse, refuseConnection } from '../errors.ts'
import { implement } from '../implement.ts'
import { refuseOtherMethods } from '../method-not-allowed.ts'

const MB = 1024 * 1024
const LIMIT = 20 * MB
/** Upper bound of what a refused sender can still send: the lingering read and the system's socket buffers. */
const MAX_READ_BYTES = 10 * MB

const send = defineRoute({
  method: 'POST',
  path: '/api/send',
  summary: 'Counts the bytes that it gets',
  access: 'public',
  query: Type.Object({ as: Type.Optional(Type.String()) }),
  body: { upload: ['audio/mpeg', 'application/octet-stream'], maxBytes: LIMIT, description: 'anything' },
  reply: Type.Object({ bytes: Type.Integer() }),
  failures: [],
})
const sendAsAdmin = defineRoute({ ...send, path: '/api/admin/send', access: 'admin' })
const say = defineRoute({
  method: 'POST',
  path: '/api/say',
  summary: 'Takes JSON',
  access: 'public',
  body: Type.Object({ word: Type.String() }),
  reply: Type.Object({ bytes: Type.Integer() }),
  failures: [],
})

/** A server that speaks the contract, with what it has seen: failures of handlers, log lines, connections. */
async function serve(t: Test, options: ContractOptions = {}) {
  const lines: { level: number; msg: string }[] = []
  const sink = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const app = Fastify({
    loggerInstance: pino({ level: 'debug' }, sink) as FastifyBaseLogger,
    frameworkErrors: refuse,
    clientErrorHandler: refuseConnection,
    forceCloseConnections: true,
  })
  t.teardown(() => app.close())
  useContract(app, await openGate(app), options)
  const heldBack = { until: Promise.resolve() as Promise<unknown> }
  const failed: unknown[] = []
  const failures = waiting()
  const hasFailed = () => failures.until('the handler fails', () => failed.length > 0)
  implement(app, send, async ({ query, body }) => {
    if (query.as === 'taken') throw new Failure('FILENAME_EXISTS')
    let bytes = 0
    try {
      for await (const piece of body) {
        bytes += piece.length
        await heldBack.until
      }
    } catch (error) {
      failed.push(error)
      failures.changed()
      throw error
    }
    return { bytes }
  })
  implement(app, sendAsAdmin, () => ({ bytes: 0 }))
  implement(app, say, ({ body }) => ({ bytes: body.word.length }))
  refuseOtherMethods(app, [send, sendAsAdmin, say])
  // As socket.io does, which keeps the requests on its path to itself.
  const others = app.server.listeners('request')
  app.server.removeAllListeners('request').on('request', (request, response) => {
    if (request.url === '/elsewhere') request.resume()
    else for (const listener of others) listener.call(app.server, request, response)
  })
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  return { port, lines, failed, hasFailed, heldBack, sockets, url: `http://127.0.0.1:${port}` }
}

/** A client that writes what it is told and gathers what it hears. */
function speak(t: Test, port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  let heard = ''
  const told = waiting()
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
    told.changed()
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  closed.then(() => told.changed())
  return {
    socket,
    closed: () => inTime('the end of a connection', closed),
    write: (text: string | Uint8Array) => socket.write(text),
    async hears(pattern: RegExp): Promise<string> {
      await told.until(`an answer like ${pattern}`, () => {
        if (pattern.test(heard)) return true
        if (socket.destroyed) throw new Error(`closed before ${pattern} was heard: ${heard}`)
        return false
      })
      return heard
    },
    /** Writes for as long as it is let. */
    async pour(piece: Uint8Array, times = Number.POSITIVE_INFINITY) {
      for (let i = 0; i < times && !socket.destroyed; i++)
        if (!socket.write(piece))
          await inTime('room for more', Promise.race([once(socket, 'drain').catch(() => {}), closed]))
    },
  }
}

function head(path: string, ...headers: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')
}
const MP3 = 'Content-Type: audio/mpeg'
const CHUNKED = 'Transfer-Encoding: chunked'
const piece = Buffer.alloc(64 * 1024, 'x')
const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
const REFUSED = /\r\n\r\n\{.*\}$/s

t.test('a refused upload costs little, and its sender can read the reason while still sending', async (t) => {
  const huge = `Content-Length: ${1024 * MB}`
  const large = `Content-Length: ${LIMIT}`
  const cases: [string, string, Uint8Array, number][] = [
    ['too large by its own account', head('/api/send', MP3, huge), piece, 413],
    ['nobody asks for it', head('/api/nowhere', MP3, large), piece, 404],
    ['the sender is unknown', head('/api/admin/send', MP3, large), piece, 401],
    ['the sender is unknown, and the size', head('/api/admin/send', MP3, CHUNKED), chunk, 401],
    ['the name is taken', head('/api/send?as=taken', MP3, large), piece, 409],
    ['of another type', head('/api/send', 'Content-Type: audio/ogg', large), piece, 415],
    ['of no type', head('/api/send', large), piece, 415],
    ['for another method', head('/api/send', MP3, large).replace('POST', 'PUT'), piece, 405],
    ['with what needs no body', head('/api/say', MP3, large).replace('POST', 'GET'), piece, 405],
    ['at an address that is none', head('/%zz', MP3, large), piece, 400],
    ['JSON that is too large', head('/api/say', 'Content-Type: application/json', huge), piece, 413],
    ['JSON of unknown size', head('/api/say', 'Content-Type: application/json', CHUNKED), chunk, 413],
  ]
  const { port, sockets, lines } = await serve(t)
  for (const [name, start, part, status] of cases) {
    t.test(name, async (t) => {
      const client = speak(t, port)
      client.write(start)
      const pouring = client.pour(part)
      const answer = await client.hears(REFUSED)
      t.match(answer, `HTTP/1.1 ${status} `)
      t.match(answer, /\r\nconnection: close\r\n/i)
      t.ok(sockets.at(-1)!.bytesRead < MAX_READ_BYTES, 'what it sends is not all read')
      client.socket.destroy()
      await pouring
    })
  }
  t.test('a body of unknown size is refused at the first piece too many', async (t) => {
    const client = speak(t, port)
    client.write(head('/api/send', MP3, CHUNKED))
    const pouring = client.pour(chunk)
    t.match(await client.hears(REFUSED), 'HTTP/1.1 413 ')
    t.ok(sockets.at(-1)!.bytesRead < LIMIT + MAX_READ_BYTES)
    client.socket.destroy()
    await pouring
  })
  t.test('common clients understand it', async (t) => {
    const body = () => Readable.from(Array(2 * (LIMIT / piece.length)).fill(piece))
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'content-type': 'audio/mpeg', 'content-length': 2 * LIMIT }
      const client = ask({ port, host: '127.0.0.1', method: 'POST', path: '/api/send', headers }, resolve)
      client.on('error', reject)
      body().pipe(client)
    })
    t.equal(answer.statusCode, 413)
    answer.destroy()
    for (const path of ['send', 'admin/send', 'send?as=taken']) {
      const init = { method: 'POST', headers: { 'content-type': 'audio/mpeg' }, duplex: 'half' } as const
      const told = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
        ...init,
        body: Readable.toWeb(body()) as ReadableStream,
      })
      t.equal(told.status, path === 'send' ? 413 : path === 'admin/send' ? 401 : 409)
      t.match(await told.json(), { error: { code: String } })
    }
  })
  t.test('a sender that never reads is cut off', async (t) => {
    const client = speak(t, port)
    client.socket.pause()
    client.write(head('/api/send', MP3, huge))
    await client.pour(piece)
    t.ok(sockets.at(-1)!.bytesRead < MAX_READ_BYTES)
  })
  t.same(
    lines.filter(({ level }) => level > 30),
    [],
    'none of this logs a warning',
  )
})

t.test('Expect: 100-continue is answered at once', async (t) => {
  const { port } = await serve(t)
  const asks = [MP3, 'Content-Length: 5', 'Expect: 100-continue']
  const welcome = speak(t, port)
  welcome.write(head('/api/send', ...asks))
  await welcome.hears(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  welcome.write('hello')
  t.match(await welcome.hears(/"bytes":5/), '200 OK')
  const json = speak(t, port)
  json.write(head('/api/say', 'Content-Type: application/json', 'Content-Length: 12', 'Expect: 100-continue'))
  await json.hears(/100 Continue/)
  json.write('{"word":"a"}')
  await json.hears(/"bytes":1/)
  for (const path of ['/api/admin/send', '/api/send?as=taken', '/api/nowhere']) {
    const refused = speak(t, port)
    refused.write(head(path, ...asks))
    t.notMatch(await refused.hears(REFUSED), '100 Continue', path)
  }
})

t.test('a small unread body does not cost the connection', async (t) => {
  const { port } = await serve(t)
  const client = speak(t, port)
  client.write(`${head('/api/admin/send', MP3, 'Content-Length: 5')}hello`)
  t.notMatch(await client.hears(REFUSED), /connection: close/i)
  client.write(`${head('/api/send', MP3, 'Content-Length: 5')}hello`)
  await client.hears(/"bytes":5/)
})

t.test('a body of an accepted type is received, even an empty one', async (t) => {
  const { url } = await serve(t)
  const post = (body: BodyInit | null, headers: Record<string, string> = { 'content-type': 'audio/mpeg' }) =>
    fetch(`${url}/api/send`, { method: 'POST', body, headers })
  t.same(await (await post(Buffer.alloc(LIMIT))).json(), { bytes: LIMIT })
  t.same(await (await post(null)).json(), { bytes: 0 })
  t.same(await (await post(null, {})).json(), { bytes: 0 })
  t.same(await (await post('ab', { 'content-type': 'Application/Octet-Stream; x=y' })).json(), { bytes: 2 })
  t.equal((await post('ab', { 'content-type': 'application/json' })).status, 415)
  t.equal((await post('ab', { 'content-type': 'what is this' })).status, 415)
})

t.test('an upload waits for its reader; the rest stays with the sender', async (t) => {
  const { port, heldBack, sockets } = await serve(t)
  let go = () => {}
  heldBack.until = new Promise<void>((resolve) => {
    go = resolve
  })
  const client = speak(t, port)
  client.write(head('/api/send', MP3, `Content-Length: ${LIMIT}`))
  const pouring = client.pour(piece, LIMIT / piece.length)
  // Nothing tells that nothing happens; on a slow machine even less would.
  await sleep(300)
  t.ok(sockets.at(-1)!.bytesRead < MB, `${sockets.at(-1)!.bytesRead} bytes are in memory`)
  go()
  await pouring
  await client.hears(new RegExp(`"bytes":${LIMIT}`))
})

t.test('an aborted upload fails only for its reader', async (t) => {
  const { port, failed, hasFailed, lines } = await serve(t)
  const client = speak(t, port)
  client.write(head('/api/send', MP3, `Content-Length: ${LIMIT}`))
  await client.pour(piece, 10)
  client.socket.resetAndDestroy()
  await hasFailed()
  t.same(failed, [new Failure('BAD_REQUEST', { field: 'body' })])
  t.ok(lines.every(({ level }) => level <= 30))
})

t.test('a slow body is refused; one that takes long because it is large is not', async (t) => {
  const { port, hasFailed, lines } = await serve(t, {
    bodyPace: { limitMs: 400, graceMs: 400, minBytesPerS: 1_000 },
  })
  const [silent, trickling, json, honest] = [speak(t, port), speak(t, port), speak(t, port), speak(t, port)]
  silent.write(head('/api/send', MP3, 'Content-Length: 100'))
  trickling.write(head('/api/send', MP3, CHUNKED))
  const drops = setInterval(() => trickling.write('1\r\nx\r\n'), 20)
  t.teardown(() => clearInterval(drops))
  json.write(`${head('/api/say', 'Content-Type: application/json', 'Content-Length: 100')}{"word"`)
  honest.write(head('/api/send', MP3, 'Content-Length: 100000'))
  honest.write(Buffer.alloc(99_999))
  for (const client of [silent, trickling, json]) {
    const answer = await client.hears(REFUSED)
    t.match(answer, 'HTTP/1.1 408 ')
    t.same(JSON.parse(answer.split('\r\n\r\n')[1]!), failureBody('REQUEST_TIMEOUT'))
    t.match(answer, /connection: close/i)
  }
  clearInterval(drops)
  await hasFailed()
  await Promise.all([silent.closed(), trickling.closed(), json.closed()])
  honest.write('x')
  t.match(await honest.hears(/"bytes":100000/), '200 OK')
  t.ok(lines.every(({ level }) => level <= 30))
})

t.test('a body still owed after its reply is not awaited forever', async (t) => {
  const { port } = await serve(t, { bodyPace: { limitMs: 300, graceMs: 300, minBytesPerS: 1_000 } })
  const client = speak(t, port)
  client.write(head('/api/nowhere', 'Content-Length: 100'))
  await client.hears(REFUSED)
  await client.closed()
  const elsewhere = speak(t, port)
  elsewhere.write(head('/elsewhere', 'Content-Length: 100'))
  t.match(await elsewhere.hears(REFUSED), 'HTTP/1.1 408 ')
  await elsewhere.closed()
})

t.test('an upload that does not fit on the disk is refused before it is sent', async (t) => {
  const asked: number[] = []
  const { url } = await serve(t, {
    hasRoomFor: async (bytes) => {
      asked.push(bytes)
      return bytes < 1_000
    },
  })
  const post = (bytes: number) =>
    fetch(`${url}/api/send`, {
      method: 'POST',
      body: Buffer.alloc(bytes),
      headers: { 'content-type': 'audio/mpeg' },
    })
  t.equal((await post(999)).status, 200)
  const refused = await post(1_000)
  t.equal(refused.status, 503)
  t.same(await refused.json(), failureBody('DATA_UNAVAILABLE', { reason: 'disk_full' }))
  t.same(asked, [999, 1_000])
})
