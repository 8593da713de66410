import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { failureBody, xorWithToken } from '@solstice/contracts'
import { sleep } from '@solstice/station'
import t, { type Test } from 'tap'
import { openApp } from '../../../../../tests/harness/stations/app.ts'

/** At 128 kbit/s and 44.1 kHz, without padding. */
const silentFrame = Buffer.alloc(417)
silentFrame.set([0xff, 0xfb, 0x90, 0x00])

/** Waits until this process has no open file of that path. */
async function isClosed(t: Test, path: string): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const files = await readdir('/proc/self/fd').catch(() => null)
    if (!files) {
      t.comment('open files cannot be seen on this system')
      return true
    }
    const targets = await Promise.all(files.map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => '')))
    if (!targets.includes(path)) return true
    await sleep(50)
  }
  return false
}

t.test('pictures are wrapped with the key of the asking token', async (t) => {
  const { app, ports, passes } = await openApp(t, { MEDIA_STORAGE: 'local' })
  const { artToken } = passes()
  const headers = { 'x-art-token': artToken, host: 'radio.local:3001' }
  const image = randomBytes(5_000)
  await ports.media.put('arts/ac_dc.jpg', image)
  await ports.data.artists.put({ artist: 'ac_dc', hasArt: true, artFileName: 'ac_dc.jpg' })
  await ports.data.artists.put({ artist: 'lost', hasArt: true, artFileName: 'lost.jpg' })
  await ports.data.artists.put({ artist: 'plain', hasArt: false, artFileName: '' })

  const link = (await app.inject({ url: '/api/art/url?artist=%20AC%2FDC', headers })).json()
  t.equal(link.url, 'http://radio.local:3001/api/artist-art/ac_dc')
  t.ok(link.ttl > 3500 && link.ttl <= 3600, 'as long as the token')
  t.equal((await app.inject({ url: '/api/art/url?artist=plain', headers })).statusCode, 404)
  const absent = await app.inject({ url: '/api/art/url?artist=plain&absent=null', headers })
  t.same([absent.statusCode, absent.json()], [200, { url: null }], 'no error in the console of a page')
  t.equal((await app.inject({ url: '/api/art/url', headers })).statusCode, 400)

  const art = await app.inject({ url: new URL(link.url).pathname, headers })
  t.equal(art.headers['content-type'], 'application/octet-stream')
  t.equal(art.headers['x-art-mime'], 'image/jpeg')
  t.equal(art.headers['cache-control'], 'no-store')
  t.ok(image.equals(xorWithToken(art.rawPayload, artToken)))
  t.notOk(image.equals(art.rawPayload))
  t.equal(
    (await app.inject({ url: '/api/artist-art/lost', headers })).statusCode,
    404,
    'a record without its file',
  )
  t.equal((await app.inject({ url: '/api/artist-art/plain', headers })).statusCode, 404)

  const folder = new URL('../../../assets/avatars/', import.meta.url)
  const [name] = await readdir(folder)
  const avatar = await app.inject({ url: `/api/avatar/${name}`, headers })
  t.equal(avatar.headers['x-art-mime'], 'image/png')
  t.ok((await readFile(new URL(name!, folder))).equals(xorWithToken(avatar.rawPayload, artToken)))
})

t.test('audio files', async (t) => {
  const station = await openApp(t, { MEDIA_STORAGE: 'local' })
  const { app, ports, addTrack, passes } = station
  const bytes = randomBytes(10_000)
  const { id } = await addTrack('day/Ранок & ніч #1 100%.mp3', bytes)
  const { artToken, audioToken } = passes()
  const headers = { 'x-art-token': artToken, 'x-audio-token': audioToken }
  const ask = (more: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET', track = id) =>
    app.inject({
      method,
      url: `/api/audio/stream?track=${encodeURIComponent(track)}`,
      headers: { ...headers, ...more },
    })

  t.test('come whole', async (t) => {
    const all = await ask()
    t.equal(all.statusCode, 200)
    t.match(all.headers, {
      'content-type': 'audio/mpeg',
      'content-length': '10000',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      vary: 'Origin, Range',
    })
    t.ok(bytes.equals(all.rawPayload))
  })

  t.test('come with both tokens of one listener only', async (t) => {
    const another = passes([...passes().uid].reverse().join(''))
    for (const [name, token] of [
      ['x-audio-token', another.audioToken],
      ['x-art-token', another.artToken],
    ] as const) {
      const refused = await ask({ [name]: token })
      t.equal(refused.statusCode, 401)
      t.same(refused.json(), failureBody('AUDIO_TOKEN_INVALID'))
    }
    t.equal(
      (await ask({ 'x-art-token': another.artToken, 'x-audio-token': another.audioToken })).statusCode,
      200,
    )
  })

  t.test('come in single ranges', async (t) => {
    const ranges: [string, number, number][] = [
      ['bytes=0-99', 0, 99],
      ['bytes=9990-', 9990, 9999],
      ['bytes=9990-20000', 9990, 9999],
      ['bytes=-10', 9990, 9999],
      ['bytes=-20000', 0, 9999],
    ]
    for (const [range, start, end] of ranges) {
      const part = await ask({ range })
      t.equal(part.statusCode, 206, range)
      t.equal(part.headers['content-range'], `bytes ${start}-${end}/10000`)
      t.equal(part.headers['content-length'], String(end - start + 1))
      t.ok(bytes.subarray(start, end + 1).equals(part.rawPayload))
    }
    for (const range of ['bytes=10000-', 'bytes=-0']) {
      const none = await ask({ range })
      t.equal(none.statusCode, 416, range)
      t.equal(none.headers['content-range'], 'bytes */10000')
      t.equal(none.headers.vary, 'Origin, Range')
      t.same(none.json(), failureBody('RANGE_NOT_SATISFIABLE'))
    }
    const everything: Record<string, string>[] = [
      { range: 'bytes=0-1,4-5' },
      { range: 'x' },
      { range: 'bytes=0-9', 'if-range': '"tag"' },
    ]
    for (const more of everything) {
      t.equal((await ask(more)).rawPayload.length, 10_000, JSON.stringify(more))
    }
  })

  t.test('can be asked about without being sent', async (t) => {
    const head = await ask({}, 'HEAD')
    t.equal(head.statusCode, 200)
    t.equal(head.headers['content-length'], '10000')
    t.equal(head.rawPayload.length, 0)
    const part = await ask({ range: 'bytes=0-99' }, 'HEAD')
    t.equal(part.statusCode, 206)
    t.equal(part.headers['content-length'], '100')
  })

  t.test('have an address that needs no headers', async (t) => {
    const link = (await app.inject({ url: `/api/audio/url?track=${encodeURIComponent(id)}`, headers })).json()
    t.same(Object.keys(link), ['url'], 'no time limit but that of the tokens')
    const { origin, pathname, search } = new URL(link.url)
    t.equal(origin, 'http://localhost:80'.replace(':80', ''))
    t.ok(bytes.equals((await app.inject(pathname + search)).rawPayload))
  })

  t.test('tell where their frames lie', async (t) => {
    const places = async (track: string) =>
      (await app.inject({ url: `/api/audio/frames?track=${encodeURIComponent(track)}`, headers })).json()
    t.same(await places(id), { every: 100, at: [] }, 'which a file without frames doesn’t have')
    t.same(await places('day/never.mp3'), failureBody('TRACK_NOT_FOUND'))
    const silence = Buffer.concat(Array.from({ length: 250 }, () => silentFrame))
    await addTrack('day/silence.mp3', silence)
    t.same((await places('day/silence.mp3')).at, [0, 41_700, 83_400])
    await addTrack('day/silence.mp3', silence.subarray(0, 417 * 150))
    t.same((await places('day/silence.mp3')).at, [0, 41_700], 'the file as it is now')
  })

  t.test('that are empty or missing', async (t) => {
    await addTrack('day/empty.mp3', new Uint8Array())
    const empty = await ask({}, 'GET', 'day/empty.mp3')
    t.equal(empty.statusCode, 200)
    t.equal(empty.headers['content-length'], '0')
    t.equal((await ask({ range: 'bytes=0-' }, 'GET', 'day/empty.mp3')).statusCode, 416)
    await addTrack('day/gone.mp3', null)
    t.same((await ask({}, 'GET', 'day/gone.mp3')).json(), failureBody('TRACK_NOT_FOUND'))
    t.same((await ask({}, 'GET', 'day/never.mp3')).json(), failureBody('TRACK_NOT_FOUND'))
  })

  t.test('are closed when the listener goes away', async (t) => {
    const large = await addTrack('day/large.mp3', new Uint8Array(30_000_000))
    const path = await ports.media.source(large.storageKey)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const leaving = Array.from({ length: 10 }, async (_, i) => {
      const request = get({ port, path: `/api/audio/stream?track=${large.id}`, headers })
      request.on('error', () => {})
      // Some leave before the answer, some while it comes.
      if (i % 2) await once(request, 'response')
      else await once(request, 'finish')
      request.destroy()
    })
    await Promise.all(leaving)
    t.ok(await isClosed(t, path), 'no file stays open')
  })
})

t.test('the shared stream is off in sync mode, and not ready without sound', async (t) => {
  const sync = await openApp(t)
  const url = `/api/stream?token=${sync.passes().artToken}`
  const hls = ['/api/hls/live.m3u8', '/api/hls/mp3-192/live.m3u8', '/api/hls/aac-64/live.m3u8']
  const mounts = ['.mp3', '-64.mp3', '-64.aac', '-64.opus', '.opus'].map((end) => `/api/stream/public${end}`)
  const segments = ['/api/hls/mp3-192/1.mp3', '/api/hls/aac-64/1.aac']
  for (const path of [url, ...mounts, ...hls, ...segments]) {
    const off = await sync.app.inject(path)
    t.equal(off.statusCode, 404, path)
    t.same(off.json(), failureBody('STREAM_OFF'))
  }
  const stream = await openApp(t, { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:192,mp3:64,aac:64,opus:64' })
  for (const path of [`/api/stream?token=${stream.passes().artToken}`, ...mounts, ...hls]) {
    const silent = await stream.app.inject(path)
    t.equal(silent.statusCode, 503, path)
    t.same(silent.json(), failureBody('STREAM_NOT_READY'))
  }
  for (const path of mounts) t.equal((await stream.app.inject(`${path}?from=-1`)).statusCode, 400, path)
  for (const path of ['-96.mp3', '-192.mp3', '-96.aac', '-96.opus', '.aac'])
    t.equal((await stream.app.inject(`/api/stream/public${path}`)).statusCode, 404, path)
  for (const [path, status] of [
    ['mp3-192/live.m3u8?listener=<me>', 400],
    ['mp3-192/-1.mp3', 400],
    ['mp3-192/one.mp3', 400],
    ['../live.m3u8', 404],
    ['mp3-96/live.m3u8', 404],
    ['mp3-96/1.mp3', 404],
    ['mp3-192/1.aac', 404],
    ['aac-64/1.mp3', 404],
  ] as const)
    t.equal((await stream.app.inject(`/api/hls/${path}`)).statusCode, status, path)
  for (const path of [
    'opus-64/live.m3u8',
    'opus-64/1.mp3',
    'opus-64/1.opus',
    'mp3/live.m3u8',
    'a%20b/1.aac',
  ]) {
    const unknown = await stream.app.inject(`/api/hls/${path}`)
    t.equal(unknown.statusCode, 404, path)
    t.same(unknown.json(), failureBody('NOT_FOUND'), `${path}: no mount that HLS knows`)
  }
})
