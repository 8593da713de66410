import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { codecs, FRAME_MS } from '@solstice/station'
import t from 'tap'
import { frameNumbers, frameOf } from '../../../../tests/harness/air/hand-made-air.ts'
import { listen, station } from '../../../../tests/harness/servers/fan-out.ts'
import { inTime, PATIENCE_MS, until } from '../../../../tests/harness/until.ts'
import { CADENCE, MOMENTS } from './listeners.ts'

/** Mounts that are tested alike: the first, one beside it, and the other codecs. */
const mounts = [
  { name: 'the first MP3', type: 'audio/mpeg', kbits: 128, codec: 'mp3', isBeside: false },
  { name: 'another MP3', type: 'audio/mpeg', kbits: 64, codec: 'mp3', isBeside: true },
  { name: 'AAC', type: 'audio/aac', kbits: 64, codec: 'aac', isBeside: true },
  { name: 'Opus', type: 'audio/ogg', kbits: 64, codec: 'opus', isBeside: true },
] as const
const CHUNK = 19
/** Longer than the patience of a test. */
const NEVER_MS = 3 * PATIENCE_MS

type Player = Awaited<ReturnType<typeof listen>>

for (const { name, type, kbits, ...mount } of mounts) {
  const numbersOf = (body: Buffer) => frameNumbers(body, kbits, mount.codec)
  /** Enough for a reserve. */
  const manyChunks = Math.ceil(9_000 / (CHUNK * codecs[mount.codec].frameMs))
  const isWhole = ({ firstFrame, body }: Player, edge: number) => {
    const numbers = numbersOf(body)
    return numbers.length === edge - firstFrame && numbers.every((number, i) => number === firstFrame + i)
  }
  /** Resolves when a player has the last frame before the edge. */
  const reaches = async (player: Player, edge: number) => {
    const last = frameOf[mount.codec](edge - 1, kbits)
    while (!player.body.subarray(-20_000).includes(last)) await player.got(player.body.length + 1)
  }

  t.test(`${name}: a pipelined request for the stream is refused`, async (t) => {
    const { air, fanOut, port } = await station(t, kbits, mount)
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

  t.test(
    `${name}: what isn't HTTP behind the request ends the stream and isn't answered in it`,
    async (t) => {
      const { air, fanOut, port } = await station(t, kbits, mount)
      air.send()
      for (const path of ['/stream', '/short']) {
        const socket = connect(port, '127.0.0.1')
        socket.write(`GET ${path} HTTP/1.1\r\nHost: radio.example\r\n\r\nnot HTTP\r\n\r\n`)
        const answer = await inTime('the end', text(socket))
        t.same(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'], path)
        t.notMatch(answer, 'BAD_REQUEST')
      }
      await until('nobody listens', () => fanOut.listeners === 0)
    },
  )

  t.test(`${name}: without sound the stream is not ready`, async (t) => {
    const { port, air, first } = await station(t, kbits, mount)
    if (mount.isBeside) first.send()
    const refused = await listen(port)
    t.match(refused.head, /^HTTP\/1.1 503 /, 'whatever other mounts have')
    await refused.got(1)
    t.match(refused.body.toString(), 'STREAM_NOT_READY')
    air.send()
    t.match((await listen(port)).head, /^HTTP\/1.1 200 OK\r\n/)
  })

  t.test(`${name}: a range is answered as Icecast does, HTTP/1.0 in HTTP/1.0`, async (t) => {
    const { port, air } = await station(t, kbits, mount)
    air.send()
    const ranged = await listen(port, '/stream', ['Range: bytes=0-'])
    t.match(ranged.head, /^HTTP\/1.1 200 OK\r\n/)
    t.notMatch(ranged.head, /content-(range|length)/i)
    const old = connect(port, '127.0.0.1')
    old.write('GET /stream HTTP/1.0\r\n\r\n')
    const [first] = await inTime('the answer', once(old, 'data'))
    const head = new RegExp(`^HTTP/1\\.0 200 OK\r\nContent-Type: ${type}\r\n`)
    t.match(String(first), head, 'also when no host is named')
    old.destroy()
    const question = await listen(port, '/stream', [], 'HEAD')
    await question.closed()
    t.match(question.head, /^HTTP\/1.1 200 OK/)
    t.equal(question.body.length, 0, 'HEAD has no body')
  })

  t.test(`${name}: streams per address are limited, of all mounts together`, async (t) => {
    const { port, air, first } = await station(t, kbits, { ...mount, trustProxyHops: 1 })
    air.send()
    if (mount.isBeside) first.send()
    const ask = (address: string, path = '/stream') =>
      listen(port, path, [`X-Forwarded-For: 192.0.2.99, ${address}`])
    const [one] = await Promise.all([ask('192.0.2.1'), ask('192.0.2.1', '/first')])
    const refused = await ask('192.0.2.1')
    t.match(refused.head, /^HTTP\/1.1 429 /, 'whichever proxy they come through')
    t.match(refused.head, /\r\nretry-after: 30\r\n/i)
    t.match((await ask('192.0.2.1', '/first')).head, /^HTTP\/1.1 429 /)
    t.match((await ask('192.0.2.2')).head, /^HTTP\/1.1 200 /)
    one!.socket.destroy()
    const isLetIn = async () => (await ask('192.0.2.1')).head.startsWith('HTTP/1.1 200 ')
    await until('one that left makes room', isLetIn)
  })

  t.test(`${name}: closing ends every stream after a whole chunk`, async (t) => {
    const { port, air, fanOut } = await station(t, kbits, mount)
    for (let i = 0; i < 20; i++) air.send()
    const players = await Promise.all([
      listen(port),
      listen(port),
      listen(port, '/stream', ['Icy-MetaData: 1']),
    ])
    air.send()
    await fanOut.close()
    await Promise.all(players.map(({ closed }) => closed()))
    for (const { body } of players.slice(0, 2)) t.equal((numbersOf(body).at(-1)! + 1) % CHUNK, 0)
    t.equal(fanOut.listeners, 0)
  })

  t.test(
    `${name}: when sound stops every stream ends after a whole chunk, and may begin again`,
    async (t) => {
      const { port, air, fanOut } = await station(t, kbits, { ...mount, silentMs: 300 })
      for (let i = 0; i < 20; i++) air.send()
      const player = await listen(port)
      air.send()
      await player.closed()
      t.equal((numbersOf(player.body).at(-1)! + 1) % CHUNK, 0)
      await until('no listener is left', () => fanOut.listeners === 0)
      air.send()
      t.match((await listen(port)).head, /200 OK/)
    },
  )

  t.test(`${name}: a replica that closes in a rush gives everybody whole frames to the edge`, async (t) => {
    const { port, air, fanOut, app, mirror } = await station(t, kbits, mount)
    for (let i = 0; i < 60; i++) air.send()
    await until('all chunks are mirrored', () => mirror.newestChunk?.frame === 59 * CHUNK)
    const asked = new Promise<void>((resolve) => {
      let requests = 0
      app.server.on('request', () => {
        if (++requests === 20) resolve()
      })
    })
    const coming = Array.from({ length: 20 }, () => listen(port, '/short'))
    await inTime('all requests', asked)
    await fanOut.close()
    for (const player of await Promise.all(coming)) {
      await player.closed()
      t.ok(isWhole(player, 60 * CHUNK))
    }
  })

  t.test(`${name}: a listener is refused by a shortcut as by the usual way`, async (t) => {
    const { port, air, first } = await station(t, kbits, { ...mount, trustProxyHops: 1 })
    if (mount.isBeside) first.send()
    const ask = () => listen(port, '/short', ['X-Forwarded-For: 192.0.2.1'])
    t.match((await ask()).head, /^HTTP\/1.1 503 /, 'without sound')
    air.send()
    await Promise.all([ask(), ask()])
    const refused = await ask()
    t.match(refused.head, /^HTTP\/1.1 429 /, 'more than an address may have')
    t.match(refused.head, /\r\nretry-after: 30\r\n/i)
    const socket = connect(port, '127.0.0.1')
    const request = ['GET /late HTTP/1.1', 'Host: radio.example', '', ''].join('\r\n')
    socket.write(
      request + request.replace('/late', '/short').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    t.match(await inTime('both answers', text(socket)), /^HTTP\/1.1 200.*HTTP\/1.1 400/s, 'behind others')
  })

  t.test(`${name}: what a listener lacks when sound stops or the replica closes is handed out`, async (t) => {
    const { port, air, fanOut, mirror } = await station(t, kbits, { ...mount, lateMs: 50 })
    let edge = 0
    const send = () => {
      edge += CHUNK
      return air.send()
    }
    for (let i = 0; i < manyChunks; i++) send()
    const player = await listen(port)
    for (const chunks of [1, 2, 3]) {
      for (let i = 0; i < chunks; i++) send()
      await reaches(player, edge)
    }
    const last = send()
    await until('the last chunk is mirrored', () => mirror.newestChunk?.frame === last.frame)
    await fanOut.close()
    await player.closed()
    t.ok(isWhole(player, edge))
  })

  t.test(`${name}: a chunk that is behind its time is handed to everyone without a turn`, async (t) => {
    const { port, air } = await station(t, kbits, { ...mount, lateMs: NEVER_MS, silentMs: NEVER_MS })
    for (let i = 0; i < manyChunks; i++) air.send()
    const players = await Promise.all(Array.from({ length: MOMENTS * CADENCE }, () => listen(port)))
    const edge = (manyChunks + 2) * CHUNK
    air.send()
    for (const player of players) await reaches(player, edge - CHUNK)
    const chunk = air.chunk()
    air.jump({ atMs: chunk.atMs + 5_000 })
    air.send(chunk)
    for (const player of players) await reaches(player, edge)
    t.ok(players.every((player) => isWhole(player, edge)))
  })

  t.test(`${name}: data that a listener sends after its request is ignored`, async (t) => {
    const { port, air, fanOut } = await station(t, kbits, mount)
    air.send()
    const player = await listen(port)
    player.socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
    player.socket.write(Buffer.alloc(200_000, 'x'))
    for (let i = 0; i < 10; i++) air.send()
    await reaches(player, 11 * CHUNK)
    t.ok(isWhole(player, 11 * CHUNK))
    t.equal(fanOut.listeners, 1)
  })
}

t.test(
  'a listener gets the last 8 seconds at once, starting at a whole frame, then what follows',
  async (t) => {
    const { port, air, fanOut } = await station(t, 128, { lateMs: 20 })
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

t.test('of a crowd that comes at once everybody gets all of the burst, and what follows', async (t) => {
  const { port, air, fanOut } = await station(t, 128, { lateMs: 20 })
  for (let i = 0; i < 60; i++) air.send()
  const players = await Promise.all(
    Array.from({ length: 60 }, (_, i) => listen(port, '/short', i % 2 === 1 ? ['Icy-MetaData: 1'] : [])),
  )
  for (let i = 0; i < 5; i++) air.send()
  for (const [i, player] of players.entries()) {
    const all = air.audioFrom(player.firstFrame)
    await player.got(all.length)
    if (i % 2 === 0 && !player.body.equals(all)) t.fail(`player ${i}`)
    if (i % 2 === 1) t.match(player.head, 'icy-metaint: 16000')
  }
  t.equal(fanOut.listeners, 60)
  t.equal(new Set(players.map(({ head }) => /X-Request-Id: (.*)/.exec(head)?.[1])).size, 60)
})

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
  const elsewhere = ['Origin: http://other.example', 'X-Public: 1']
  const forAll = (await listen(port, '/stream', elsewhere)).head
  t.match(forAll, 'Access-Control-Allow-Origin: *', 'a public stream is for pages of every site,')
  t.notMatch(forAll, /credentials/i, 'without credentials')
})
