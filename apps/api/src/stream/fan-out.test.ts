import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { defaultSettings, FRAME_MS } from '@solstice/station'
import Fastify from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { frameNumbers, handMadeAir, mp3Frame } from '../../../../tests/harness/air/hand-made-air.ts'
import type { Teardown } from '../../../../tests/harness/processes/processes.ts'
import { inTime, until, waiting } from '../../../../tests/harness/until.ts'
import { refuse } from '../http/errors.ts'
import { createOrigins } from '../limits/client-address.ts'
import { createFanOut } from './fan-out.ts'
import { METADATA_INTERVAL } from './icy.ts'
import { createAirMirror } from './mirror.ts'

type Test = Teardown

async function station(t: Test, kbits = 128, { trustProxyHops = 0, silentMs = 30_000 } = {}) {
  const air = handMadeAir(kbits)
  const mirror = createAirMirror({ bus: air.bus, log: pino({ level: 'silent' }) })
  const config = {
    streamBitrate: kbits as 128,
    publicServerUrl: '',
    clientOrigins: ['http://page.example'],
    trustProxyHops,
  }
  const uiSettings = { ...defaultSettings.branding, artistArts: defaultSettings.artistArts }
  const origins = createOrigins(config)
  const fanOut = createFanOut({
    mirror,
    clock: air.clock,
    config,
    origins,
    uiSettings: () => uiSettings,
    maxPerAddress: 2,
    silentMs,
  })
  const app = Fastify()
  app.setErrorHandler(refuse)
  app.get('/stream', async (request, reply) => {
    const { from } = request.query as { from?: string }
    await fanOut.serve(request, reply, from === undefined ? {} : { from: Number(from) })
    return reply
  })
  app.get('/late', () => turn('late'))
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await fanOut.close()
    await app.close()
    await mirror.close()
  })
  const port = (app.server.address() as { port: number }).port
  return { air, mirror, fanOut, app, port, sockets }
}

/** A player: asks for the stream over a bare connection and keeps what it got. */
async function listen(port: number, path = '/stream', headers: string[] = [], method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  let parts: Buffer[] = []
  let length = 0
  const bytes = () => {
    if (parts.length > 1) parts = [Buffer.concat(parts)]
    return parts[0] ?? Buffer.alloc(0)
  }
  let isOver = false
  const told = waiting()
  socket.on('data', (part) => {
    parts.push(part)
    length += part.length
    told.changed()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isOver = true
    told.changed()
  })
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: radio.example', ...headers, '', ''].join('\r\n'))
  /** @throws when the stream ends before it is so. */
  const untilItGot = (what: string, isThere: () => boolean) =>
    told.until(what, () => {
      if (isThere()) return true
      if (isOver) throw new Error(`the stream ended ${length} bytes in, before ${what}`)
      return false
    })
  await untilItGot('the head of an answer', () => bytes().includes('\r\n\r\n'))
  const bodyAt = bytes().indexOf('\r\n\r\n') + 4
  const head = bytes().toString('latin1', 0, bodyAt)
  return {
    socket,
    head,
    closed: () => told.until('the end of the stream', () => isOver),
    firstFrame: Number(/X-Stream-Frame: (\d+)/.exec(head)?.[1]),
    get body() {
      return bytes().subarray(bodyAt)
    },
    got: (count: number) => untilItGot(`${count} bytes of the body`, () => length - bodyAt >= count),
  }
}

/** Takes the metadata blocks out. @throws when a block is not where the interval says. */
function withoutTitles(body: Buffer) {
  const audio: Buffer[] = []
  const titles: string[] = []
  let at = 0
  while (at < body.length) {
    audio.push(body.subarray(at, at + METADATA_INTERVAL))
    at += METADATA_INTERVAL
    if (at >= body.length) break
    const length = body[at]! * 16
    const text = body.toString('utf8', at + 1, at + 1 + length)
    if (at + 1 + length > body.length) break
    const title = /^StreamTitle='(.*)';\0*$/s.exec(text)
    if (!title) throw new Error(`no block at byte ${at}: ${JSON.stringify(text)}`)
    titles.push(title[1]!)
    at += 1 + length
  }
  return { audio: Buffer.concat(audio), titles }
}

t.test('a pipelined request for the stream is refused', async (t) => {
  const { air, fanOut, port } = await station(t)
  air.send()
  const socket = connect(port, '127.0.0.1')
  const ask = (path: string, ...more: string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: radio.example', ...more, '', ''].join('\r\n')
  socket.write(ask('/late') + ask('/stream', 'Connection: close'))
  const answers = await inTime('both answers', text(socket))
  t.same(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'], 'both are answered')
  t.match(answers, '"code":"BAD_REQUEST"')
  t.equal(fanOut.listeners, 0)
})

t.test('without sound the stream is not ready', async (t) => {
  const { port, air } = await station(t)
  const refused = await listen(port)
  t.match(refused.head, /^HTTP\/1.1 503 /)
  await refused.got(1)
  t.match(refused.body.toString(), 'STREAM_NOT_READY')
  air.send()
  t.match((await listen(port)).head, /^HTTP\/1.1 200 OK\r\n/)
})

t.test(
  'a listener gets the last 8 seconds at once, starting at a whole frame, then every chunk',
  async (t) => {
    const { port, air, fanOut } = await station(t)
    for (let i = 0; i < 60; i++) air.send()
    const one = await listen(port)
    t.notMatch(one.head, /transfer-encoding|icy-metaint/i)
    const burst = air.audioFrom(one.firstFrame)
    await one.got(burst.length)
    const burstMs = (60 * 19 - one.firstFrame) * FRAME_MS
    t.ok(burstMs > 7_000 && burstMs <= 8_000, `${burstMs} ms`)
    t.equal(fanOut.listeners, 1)
    const other = await listen(port)
    for (let i = 0; i < 5; i++) air.send()
    const all = air.audioFrom(one.firstFrame)
    await Promise.all([one.got(all.length), other.got(all.length)])
    t.ok(one.body.equals(all))
    t.ok(other.body.equals(all), 'all listeners get the same bytes')
    one.socket.destroy()
    other.socket.end()
    await Promise.all([one.closed(), other.closed()])
    await until('no listener is left', () => fanOut.listeners === 0)
  },
)

t.test('the response head is what players and pages expect', async (t) => {
  const { port, air } = await station(t)
  air.send()
  const { head } = await listen(port, '/stream', ['Origin: http://page.example', 'Icy-MetaData: 1'])
  for (const line of [
    'Content-Type: audio/mpeg',
    'Cache-Control: no-cache, no-store',
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    'Server: Icecast 2.4.4',
    'icy-name: Solstice',
    'icy-genre: Various',
    'icy-br: 128',
    'icy-pub: 0',
    'icy-metaint: 16000',
    'X-Stream-Frame: 0',
    'Access-Control-Allow-Origin: http://page.example',
  ]) {
    t.ok(head.includes(`\r\n${line}\r\n`), line)
  }
  t.notMatch((await listen(port, '/stream', ['Origin: http://other.example'])).head, /allow-origin/i)
  const question = await listen(port, '/stream', [], 'HEAD')
  await question.closed()
  t.match(question.head, /^HTTP\/1.1 200 OK/)
  t.equal(question.body.length, 0, 'HEAD has no body')
})

t.test('streams per address are limited, whichever proxy they come through', async (t) => {
  const { port, air } = await station(t, 128, { trustProxyHops: 1 })
  air.send()
  const ask = (address: string) => listen(port, '/stream', [`X-Forwarded-For: 192.0.2.99, ${address}`])
  const [first] = await Promise.all([ask('192.0.2.1'), ask('192.0.2.1')])
  t.match((await ask('192.0.2.1')).head, /^HTTP\/1.1 429 /)
  t.match((await ask('192.0.2.2')).head, /^HTTP\/1.1 200 /)
  first!.socket.destroy()
  const isLetIn = async () => (await ask('192.0.2.1')).head.startsWith('HTTP/1.1 200 ')
  await until('one that left makes room', isLetIn)
})

t.test('a listener resumes exactly at the frame it asks for, while the ring has it', async (t) => {
  const { port, air, app } = await station(t)
  for (let i = 0; i < 60; i++) air.send()
  let edge = 60 * 19
  for (const back of [1, 19, 300, 55 * 19 + 3, 0]) {
    for (const headers of [[], ['Icy-MetaData: 1']]) {
      const frame = edge - back
      const player = await listen(port, `/stream?from=${frame}`, headers)
      t.equal(player.firstFrame, frame)
      air.send()
      edge += 19
      const wanted = air.audioFrom(frame)
      await player.got(wanted.length)
      player.socket.destroy()
      const audio = headers.length > 0 ? withoutTitles(player.body).audio : player.body
      t.equal(frameNumbers(audio)[0], frame, `${frame} ${headers}`)
    }
  }
  // It may come from a replica that knew of the newest chunk a moment sooner.
  const asked = once(app.server, 'request')
  const coming = listen(port, `/stream?from=${edge + 20}`)
  await inTime('the request', asked)
  air.send()
  air.send()
  edge += 38
  t.equal((await coming).firstFrame, edge - 18, 'a frame that is about to come is waited for')
  ;(await coming).socket.destroy()
  for (const frame of [0, edge + 500]) {
    const player = await listen(port, `/stream?from=${frame}`)
    t.ok(player.firstFrame > edge - 400 && player.firstFrame < edge + 400, 'else it begins as all do')
    player.socket.destroy()
  }
})

t.test('titles come at the same bytes of the broadcast, whenever a listener joined', async (t) => {
  const { port, air } = await station(t)
  const marker = (frame: number, title: string) => ({
    frame,
    entryId: title,
    trackId: `day/${title}.mp3`,
    artist: 'Ann',
    title,
    positionMs: 0,
    durationMs: null,
  })
  for (let i = 0; i < 30; i++) air.send(air.chunk(19, [marker(i * 19, "It's; 'one'")]))
  const early = await listen(port, '/stream', ['Icy-MetaData: 1'])
  for (let i = 0; i < 3; i++) air.send(air.chunk(19, [marker((30 + i) * 19, 'two')]))
  const late = await listen(port, '/stream', ['Icy-MetaData: 1'])
  const plain = await listen(port)
  for (let i = 0; i < 20; i++) air.send(air.chunk(19, [marker((33 + i) * 19, 'two')]))
  const all = air.audioFrom(early.firstFrame)
  await Promise.all([early.got(all.length), late.got(air.audioFrom(late.firstFrame).length)])
  await plain.got(air.audioFrom(plain.firstFrame).length)
  const [first, second] = [withoutTitles(early.body), withoutTitles(late.body)]
  const tail = all.subarray(-100_000, -20_000)
  t.ok(first.audio.includes(tail) && second.audio.includes(tail), 'the audio is the broadcast')
  t.equal(first.titles[0], "Ann - It's; 'one'")
  t.equal(first.titles.at(-1), 'Ann - two')
  const end = early.body.length - 60_000
  t.ok(late.body.includes(early.body.subarray(end, end + 50_000)), 'blocks lie at the same bytes')
})

for (const titles of [false, true]) {
  const headers = titles ? ['Icy-MetaData: 1'] : []
  const kind = titles ? 'with titles' : 'plain'

  t.test(
    `${kind}: who stops reading is carried to the edge, later closed; others notice nothing`,
    async (t) => {
      const kbits = 128
      const { port, air, fanOut, sockets } = await station(t, kbits)
      let sent = air.send().audio.length
      const well = await listen(port)
      /** Half seconds of sound, all at once. */
      const feed = async (chunks = 5) => {
        for (let i = 0; i < chunks; i++) sent += air.send().audio.length
        await well.got(sent)
      }
      const slow = await listen(port, '/stream', headers)
      const behind = sockets[1]!
      slow.socket.pause()
      await until('a slow listener falls behind', async () => {
        await feed(15)
        return behind.writableLength > 0
      })
      for (let i = 0; i < 4; i++) await feed()
      t.ok(behind.writableLength < 30_000, `${behind.writableLength} bytes are kept for it, whatever comes`)
      slow.socket.resume()
      await until('it has what was kept for it', () => behind.writableLength === 0)
      await feed()
      await feed()
      const audioOf = () => (titles ? withoutTitles(slow.body).audio : slow.body)
      const edge = air.chunk(1).frame - 1
      while (!slow.body.subarray(-20_000).includes(mp3Frame(edge, kbits)))
        await slow.got(slow.body.length + 1)
      const numbers = frameNumbers(audioOf(), kbits)
      const jumps = numbers.filter((number, i) => i > 0 && number !== numbers[i - 1]! + 1)
      t.equal(jumps.length, 1, 'one jump, from a whole frame to a whole frame')
      t.equal(fanOut.listeners, 2)

      air.jump({ frame: edge + 1 })
      slow.socket.pause()
      for (let i = 0; i < 200 && fanOut.listeners > 1; i++) await feed(15)
      t.equal(fanOut.listeners, 1, 'closed')
      t.same(
        frameNumbers(well.body, kbits).filter((number, i, all) => i > 0 && number !== all[i - 1]! + 1).length,
        0,
        'the other got every frame',
      )
      slow.socket.destroy()
    },
  )
}

t.test('closing ends every stream after a whole chunk', async (t) => {
  const { port, air, fanOut } = await station(t)
  for (let i = 0; i < 20; i++) air.send()
  const players = await Promise.all([
    listen(port),
    listen(port),
    listen(port, '/stream', ['Icy-MetaData: 1']),
  ])
  air.send()
  await fanOut.close()
  await Promise.all(players.map(({ closed }) => closed()))
  const numbers = frameNumbers(players[0]!.body)
  t.equal((numbers.at(-1)! + 1) % 19, 0)
  t.equal(fanOut.listeners, 0)
})

t.test('when sound stops every stream ends after a whole chunk, and may begin again', async (t) => {
  const { port, air, fanOut } = await station(t, 128, { silentMs: 300 })
  for (let i = 0; i < 20; i++) air.send()
  const player = await listen(port)
  air.send()
  await player.closed()
  t.equal((frameNumbers(player.body).at(-1)! + 1) % 19, 0)
  await until('no listener is left', () => fanOut.listeners === 0)
  air.send()
  t.match((await listen(port)).head, /200 OK/)
})

t.test('data that a listener sends after its request is ignored', async (t) => {
  const { port, air, fanOut } = await station(t)
  air.send()
  const player = await listen(port)
  player.socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
  player.socket.write(Buffer.alloc(200_000, 'x'))
  for (let i = 0; i < 10; i++) air.send()
  const all = air.audioFrom(0)
  await player.got(all.length)
  t.ok(player.body.equals(all))
  t.equal(fanOut.listeners, 1)
})
