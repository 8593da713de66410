import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { capabilityNames, failureBody, privileges, type Track, xorWithToken } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { lyricsKey, sleep, trackRef } from '@solstice/station'
import t, { type Test } from 'tap'
import { putOnAir } from '../../../../../tests/harness/air/put-on-air.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'

function playing(track: Track, startedAtMs: number): PlayoutState['onAir'] {
  const entry = { entryId: 'e1', track: trackRef(track), orderType: null, tier: null }
  return { phase: 'track', entry, startedAtMs }
}

t.test('the configuration describes the station', async (t) => {
  const { app, ports } = await openApp(t, {
    STREAM_MODE: 'true',
    TIME_ZONE: 'Europe/Berlin',
    NIGHT_MODE: 'false',
    MEDIA_STORAGE: 'local',
    QUEUE_ADD_COOLDOWN_S: '7',
    SUGGEST_EXPIRY_S: '0',
  })
  const config = (await app.inject('/api/public/config')).json()
  t.match(config, {
    dataProvider: ports.config.dataProvider,
    musicSource: 'local',
    nightMode: false,
    streamMode: true,
    radioHostsMode: false,
    timeZone: 'Europe/Berlin',
    donationInfo: null,
  })
  t.same(
    config.limits,
    {
      queueAddCooldownS: 7,
      queueRemoveCooldownS: 30,
      queueSkipCooldownS: 30,
      groupInsertCooldownS: 600,
      suggestExpiryS: 0,
    },
    'the waits that clients count down',
  )
  t.same(config.allPrivileges, privileges)
  t.same(Object.keys(config.capabilities).sort(), [...capabilityNames].sort())
})

t.test('library and history follow the air', async (t) => {
  const station = await openApp(t, { NIGHT_MODE: 'false' })
  const { app, addTrack, ports } = station
  const ask = async (url: string) => (await app.inject(url)).json()
  const current = await addTrack('day/1.mp3', null, { artist: 'beta', title: 'x' })
  await addTrack('day/2.mp3', null, { artist: 'Beta', title: 'A' })
  await addTrack('day/3.mp3', null, { artist: 'Alpha', title: 'z' })
  await addTrack('night/4.mp3', null, { artist: 'Moth', title: 'Lamp' })
  const played = { trackId: 'day/2.mp3', title: 'A', artist: 'Beta', album: '', mode: 'day' } as const
  for (let i = 1; i <= 12; i++) await ports.data.history.insert({ ...played, playedAt: i * 1000 })
  const startedAtMs = Math.round(ports.clock.nowMs())
  await ports.data.history.insert({ ...played, trackId: current.id, playedAt: startedAtMs })

  t.same(
    (await ask('/api/library')).map((item: { id: string }) => item.id),
    ['day/3.mp3', 'day/2.mp3', 'day/1.mp3'],
    'before anything is on air: the mode of the hour, by artist and title whatever their case',
  )
  t.same(
    (await ask('/api/library'))[0],
    { id: 'day/3.mp3', title: 'z', artist: 'Alpha' },
    'nothing else is told',
  )
  t.equal(
    (await ask('/api/history')).at(-1).playedAt,
    startedAtMs,
    'nothing is on air, so all of it is history',
  )

  const longTrack = { ...current, duration: 3600 }
  await putOnAir(station, { mode: 'night', onAir: playing(longTrack, startedAtMs) })
  t.same(await ask('/api/library'), [{ id: 'night/4.mp3', title: 'Lamp', artist: 'Moth' }])
  const history = await ask('/api/history')
  t.same(
    history.map((item: { playedAt: number }) => item.playedAt / 1000),
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    'the last ten, oldest first, without the one on air',
  )
  t.match(history[0], { id: Number, ...played })
})

t.test('a station without durable storage has no history', async (t) => {
  const { app, ports } = await openApp(t, { EPHEMERAL_STORAGE: 'true' })
  const played = { trackId: 'day/2.mp3', title: 'A', artist: 'B', album: '', mode: 'day' } as const
  await ports.data.history.insert({ ...played, playedAt: 1 })
  t.same((await app.inject('/api/history')).json(), [])
})

t.test('lyrics', async (t) => {
  let answer: RequestListener = (_, response) => response.writeHead(404).end()
  const asked: URLSearchParams[] = []
  const service = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://x').searchParams)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.teardown(() => service.close())
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { app, ports, addTrack, passes, tokens } = await openApp(t, { LYRICS_API_URL: address })
  await addTrack('day/a.mp3', null, {
    artist: 'Océan',
    title: 'Deep',
    album: 'Sea',
    duration: 62,
  })

  const reader = (uid: string) => {
    const { artToken } = passes(tokens.uidOf(uid))
    return async (title: string, more = {}) => {
      const query = new URLSearchParams({ title, artist: 'Océan', ...more })
      const reply = await app.inject({ url: `/api/lyrics?${query}`, headers: { 'x-art-token': artToken } })
      const isWrapped = reply.headers['content-type'] === 'application/octet-stream'
      const body = isWrapped ? Buffer.from(xorWithToken(reply.rawPayload, artToken)) : reply.rawPayload
      return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(body.toString('utf8')) }
    }
  }
  const read = reader('192.0.2.1')

  t.test('are looked up once for simultaneous requests, then stored', async (t) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    answer = async (_, response) => {
      await held
      response.end(JSON.stringify({ syncedLyrics: '[00:01.00]Глибоко' }))
    }
    await ports.data.offsets.put({ key: lyricsKey('océan', 'deep'), offset: -0.5 })
    const everybody = Promise.all(
      ['Deep', ' deep ', 'DEEP', 'Deep'].map((title) => read(title, { album: 'Another' })),
    )
    while (asked.length === 0) await once(service, 'request')
    release()
    for (const { status, headers, body } of await everybody) {
      t.equal(status, 200)
      t.equal(headers['cache-control'], 'no-store')
      t.match(body, { synced: true, lines: [{ time: 1, text: 'Глибоко' }], offset: -0.5, notFound: false })
    }
    await read('Deep')
    t.equal(asked.length, 1)
    t.same(Object.fromEntries(asked[0]!), {
      track_name: 'Deep',
      artist_name: 'Océan',
      album_name: 'Sea',
      duration: '62',
    })
  })

  t.test('unknown to the service are stored as not found', async (t) => {
    answer = (_, response) => response.writeHead(404).end()
    asked.length = 0
    for (let i = 0; i < 2; i++) {
      t.match((await read('Unheard')).body, { synced: false, lines: [], notFound: true, offset: 0 })
    }
    t.equal(asked.length, 1)
  })

  t.test('are unavailable while the service is away, and looked up again later', async (t) => {
    answer = (_, response) => response.destroy()
    const away = await read('Later')
    t.equal(away.status, 500)
    t.same(away.body, { error: 'fetch_failed' })
    answer = (_, response) => response.end(JSON.stringify({ plainLyrics: 'now' }))
    t.match((await read('Later')).body, { synced: false, lines: [{ time: 0, text: 'now' }] })
  })

  t.test('written by hand during a lookup are not overwritten by it', async (t) => {
    await addTrack('day/mine.mp3', null, { artist: 'Océan', title: 'Mine' })
    answer = async (_, response) => {
      await ports.data.lyrics.put({
        key: lyricsKey('Océan', 'Mine'),
        synced: false,
        lines: [{ time: 0, text: 'by hand' }],
      })
      response.end(JSON.stringify({ plainLyrics: 'by the service' }))
    }
    t.match((await read('Mine')).body, { lines: [{ text: 'by hand' }] })
  })

  t.test('need a title and an artist', async (t) => {
    t.same((await read('  ')).body, failureBody('BAD_REQUEST', { field: 'title' }))
    t.same((await read('x', { artist: '' })).body, failureBody('BAD_REQUEST', { field: 'artist' }))
    t.same((await read('x'.repeat(301))).body, failureBody('BAD_REQUEST', { field: 'title' }))
  })

  t.test('may be looked up 30 times a minute per listener; stored ones do not count', async (t) => {
    answer = (_, response) => response.writeHead(404).end()
    const greedy = reader('192.0.2.99')
    await ports.redis.set(`solstice:limit:lyrics:${tokens.uidOf('192.0.2.99')}`, 27, 'PX', 60_000)
    for (let i = 1; i <= 3; i++) t.equal((await greedy(`Song ${i}`)).status, 200)
    const refused = await greedy('One more')
    t.equal(refused.status, 429)
    t.match(refused.body, { error: { code: 'RATE_LIMITED', retryAfterSecs: Number } })
    t.ok(Number(refused.headers['retry-after']) >= 1 && Number(refused.headers['retry-after']) <= 60)
    t.match(refused.headers, { 'ratelimit-policy': '30;w=60', 'ratelimit-remaining': '0' })
    t.equal((await greedy('Song 3')).status, 200)
    t.equal((await read('One more')).status, 200, 'others are not concerned')
  })
})

t.test('with lookups off lyrics are reported as not found, and that is not stored', async (t) => {
  const { app, ports, passes } = await openApp(t)
  const { artToken } = passes()
  const reply = await app.inject(`/api/lyrics?title=a&artist=b&token=${artToken}`)
  const body = JSON.parse(Buffer.from(xorWithToken(reply.rawPayload, artToken)).toString())
  t.same(body, { synced: false, lines: [], notFound: true, offset: 0 })
  t.equal((await ports.data.lyrics.find()).length, 0)
})

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

t.test('the shared stream is off in sync mode, and not ready without sound', async (t) => {
  const sync = await openApp(t)
  const url = `/api/stream?token=${sync.passes().artToken}`
  for (const path of [url, '/api/stream/public.mp3']) {
    const off = await sync.app.inject(path)
    t.equal(off.statusCode, 404)
    t.same(off.json(), failureBody('STREAM_OFF'))
  }
  const stream = await openApp(t, { STREAM_MODE: 'true' })
  for (const path of [`/api/stream?token=${stream.passes().artToken}`, '/api/stream/public.mp3']) {
    const silent = await stream.app.inject(path)
    t.equal(silent.statusCode, 503)
    t.same(silent.json(), failureBody('STREAM_NOT_READY'))
  }
  t.equal((await stream.app.inject('/api/stream/public.mp3?from=-1')).statusCode, 400)
})
