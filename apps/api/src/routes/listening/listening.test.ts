import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { capabilityNames, failureBody, privileges, type Track, xorWithToken } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { lyricsKey, trackRef } from '@solstice/station'
import t from 'tap'
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
  const today = new Date(startedAtMs).toLocaleDateString('sv', { timeZone: 'Europe/Kyiv' })
  t.same((await ask(`/api/history/${today}`)).entries, [], 'nor is it in the history of its day')
})

t.test('the history of a day ends and begins with the day in the station’s time zone', async (t) => {
  const { app, ports } = await openApp(t, { TIME_ZONE: 'Europe/Kyiv' })
  const played = { trackId: 'day/2.mp3', title: 'A', artist: 'Beta', album: '', mode: 'day' } as const
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const ofDay = async (date: string) => {
    const { statusCode, headers, body } = await app.inject(`/api/history/${date}`)
    return { statusCode, cached: headers['cache-control'], body: JSON.parse(body) }
  }
  const { from, until } = (await ofDay(yesterday)).body
  for (const playedAt of [until, until - 1, from, from - 1])
    await ports.data.history.insert({ ...played, playedAt })
  const { statusCode, cached, body } = await ofDay(yesterday)
  t.equal(statusCode, 200)
  t.equal(cached, 'public, max-age=10')
  t.equal(body.timeZone, 'Europe/Kyiv')
  t.equal(new Date(from).toLocaleTimeString('en-GB', { timeZone: 'Europe/Kyiv' }), '00:00:00')
  t.same(
    body.entries.map((item: { playedAt: number }) => item.playedAt),
    [from, until - 1],
    'oldest first',
  )
  for (const wrong of ['2026-02-30', '2026-13-01', 'today', '2026-1-1'])
    t.match(
      await ofDay(wrong),
      { statusCode: 400, body: { error: { code: 'BAD_REQUEST', field: 'date' } } },
      wrong,
    )
  t.same((await ofDay('1999-12-31')).body.entries, [], 'nothing is kept of then')
})

t.test('a track is told of by its id, with the moment at which it was last played', async (t) => {
  const { app, ports, addTrack } = await openApp(t)
  const { id, title, artist } = await addTrack('night/Low Tide.mp3', Buffer.from('x'))
  const ask = async (track: string) => {
    const { statusCode, body } = await app.inject(`/api/track?${new URLSearchParams({ track })}`)
    return { statusCode, body: JSON.parse(body) }
  }
  t.match(await ask(id), { statusCode: 200, body: { id, title, artist, mode: 'night', lastPlayedAt: null } })
  const latest = Date.now() - 60_000
  for (const playedAt of [latest, latest - 1000])
    await ports.data.history.insert({ trackId: id, title, artist, album: '', mode: 'night', playedAt })
  t.equal((await ask(id)).body.lastPlayedAt, latest)
  t.notOk('storageKey' in (await ask(id)).body, 'nothing of its file')
  t.match(await ask('day/none.mp3'), { statusCode: 404, body: { error: { code: 'TRACK_NOT_FOUND' } } })
  t.match(await ask(''), { statusCode: 400 })
})

t.test('a station without durable storage has no history', async (t) => {
  const { app, ports } = await openApp(t, { EPHEMERAL_STORAGE: 'true' })
  const played = { trackId: 'day/2.mp3', title: 'A', artist: 'B', album: '', mode: 'day' } as const
  await ports.data.history.insert({ ...played, playedAt: 1 })
  t.same((await app.inject('/api/history')).json(), [])
  t.same((await app.inject('/api/history/1970-01-01')).json().entries, [])
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
