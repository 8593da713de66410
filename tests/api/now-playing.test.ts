import type { NowPlaying } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import t from 'tap'
import { Value } from 'typebox/value'
import { NowPlaying as Shape } from '../../packages/contracts/src/resources/sites/now-playing.ts'
import { handMadeAir } from '../harness/air/hand-made-air.ts'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { followEvents } from '../harness/people/event-source.ts'
import { openApp } from '../harness/stations/app.ts'
import { openReplica } from '../harness/stations/replica.ts'
import { until } from '../harness/until.ts'

const entry = (name: string, artist = 'Hilda') => ({
  entryId: name,
  track: { id: `day/${name}.mp3`, title: name, artist, album: 'Shores', year: 2024, durationMs: 3_600_000 },
  orderType: null,
  tier: null,
})

/** A song on air, and another one after it. */
function playing(name: string, startedAtMs: number): Partial<PlayoutState> {
  const entries = [entry(name), entry('Наступна', 'Артист')]
  return {
    onAir: { phase: 'track', entry: entries[0]!, startedAtMs },
    playlist: { entries, index: 0 } as PlayoutState['playlist'],
  }
}

const URL_OF = '/api/now-playing'
/** Within the limit of requests. */
const EVERY_MS = 600

t.test('in sync mode the reply tells the song, what comes next and who listens', async (t) => {
  const env = { NIGHT_MODE: 'false', TRUST_PROXY_HOPS: '1', ...SUPER_ADMIN }
  const station = await openReplica(t, env)
  const { app, ports } = station
  const ask = async () => (await app.inject(URL_OF)).json() as NowPlaying

  const before = await ask()
  t.match(before, {
    state: 'preparing',
    mode: 'day',
    current: null,
    next: null,
    listeners: 0,
    streams: [],
    hls: null,
  })
  const cover = { id: 'c'.repeat(32), color: '#123456' }
  await ports.data.covers.put({ ...cover, sizes: [96] })
  const trackId = 'day/Ранковий приплив.mp3'
  await ports.data.trackCovers.put({ trackId, size: 1, modifiedMs: 1, coverId: cover.id })
  const startedAtMs = ports.clock.nowMs() - 30_000
  await putOnAir(station, playing('Ранковий приплив', startedAtMs))
  await station.join()
  await until('the song', async () => !!(await ask()).current?.cover, EVERY_MS)
  const now = await ask()
  t.ok(Value.Check(Shape, now), JSON.stringify(Value.Errors(Shape, now)[0]))
  t.match(now, {
    station: { name: { uk: String, en: String }, url: 'http://localhost/' },
    state: 'song',
    current: {
      id: 'day/Ранковий приплив.mp3',
      title: 'Ранковий приплив',
      artist: 'Hilda',
      album: 'Shores',
      year: 2024,
      duration: 3600,
      cover: `http://localhost/api/covers/${cover.id}/512.webp`,
    },
    next: { title: 'Наступна', artist: 'Артист' },
    listeners: 1,
    live: { hosts: 0, guests: 0 },
    streams: [],
  })
  const { position, startedAt } = now.current!
  t.ok(Math.abs(startedAt + position * 1000 - now.at) <= 1, 'position, start and moment agree')
  t.ok(position >= 30 && position < 60)
  t.same(await ask().then(({ at }) => at), now.at, 'callers within a second share one computation')

  const other = await openReplica(t, env, station)
  await other.join()
  await other.joinAs()
  await until(
    'the listeners of both replicas, without admins',
    async () => (await ask()).listeners === 2,
    EVERY_MS,
  )
})

t.test('in stream mode the reply has the address of the stream', async (t) => {
  const { app } = await openApp(t, {
    STREAM_MODE: 'true',
    STREAM_BITRATE: '128',
    PUBLIC_SERVER_URL: 'https://radio.example',
  })
  const now = (await app.inject(URL_OF)).json() as NowPlaying
  t.equal(now.station.url, 'https://radio.example/')
  t.same(now.streams, [
    { url: 'https://radio.example/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 128 },
  ])
  t.equal(now.hls, 'https://radio.example/api/hls/live.m3u8')
})

t.test('players of HLS are listeners of their mount, and of the station', async (t) => {
  const env = { STREAM_MODE: 'true', NIGHT_MODE: 'false', STREAM_MOUNTS: 'mp3:128,aac:64' }
  const { app, ports } = await openApp(t, env)
  const lease = await ports.bus.acquireLease(new AbortController().signal, ['aac-64'])
  for (const [codec, bitrate, perSegment] of [
    ['mp3', 128, 232],
    ['aac', 64, 261],
  ] as const) {
    const air = handMadeAir(bitrate, ports.clock.nowMs() - 7_000, codec)
    air.jump({ frame: perSegment * 1_000 })
    const mount = codec === 'aac' ? 'aac-64' : undefined
    for (let i = 0; i < 15; i++) await lease.publish(air.chunk(20), mount)
  }
  const play = async (mount: string, agent: string, query = '') => {
    const url = `/api/hls/${mount}/live.m3u8${query}`
    const played = async () =>
      (await app.inject({ url, headers: { 'user-agent': agent } })).statusCode === 200
    await until(`${agent} plays`, played)
  }
  const counted = async () => {
    const [status, now] = await Promise.all(['/status-json.xsl', URL_OF].map((url) => app.inject(url)))
    const sources = status!.json().icestats.source as { listeners: number }[]
    return [...sources.map(({ listeners }) => listeners), now!.json().listeners].join()
  }

  await play('mp3-128', 'a speaker')
  await play('aac-64', 'a phone')
  await play('aac-64', 'a phone', '?listener=another')
  await play('aac-64', 'a phone')
  await until('who listens to what', async () => (await counted()) === '1,2,3', EVERY_MS)
  await lease.release()
})

t.test('players get playlists of the stream, and directories its status as Icecast has it', async (t) => {
  const env = { STREAM_MODE: 'true', NIGHT_MODE: 'false', PUBLIC_SERVER_URL: 'https://radio.example' }
  const { app, ports } = await openApp(t, env)
  const address = 'https://radio.example/api/stream/public.mp3'
  for (const [url, type] of [
    ['/listen.m3u', 'audio/x-mpegurl; charset=utf-8'],
    ['/listen.pls', 'audio/x-scpls; charset=utf-8'],
    ['/listen.xspf', 'application/xspf+xml; charset=utf-8'],
  ] as const) {
    const { statusCode, headers, body } = await app.inject({
      url,
      headers: { origin: 'https://elsewhere.example' },
    })
    t.equal(statusCode, 200, url)
    t.match(headers, {
      'content-type': type,
      'content-disposition': `attachment; filename="${url.slice(1)}"`,
      'access-control-allow-origin': '*',
    })
    t.match(body, address)
    const probe = await app.inject({ method: 'HEAD', url })
    t.match(probe, { statusCode: 200, headers: { 'content-type': type } })
  }
  const ask = async (query = '') => (await app.inject(`/status-json.xsl${query}`)).json().icestats
  t.match(await ask(), { host: 'radio.example', server_id: 'Icecast 2.4.4' })
  t.notOk((await ask()).source, 'no sound yet')

  const lease = await ports.bus.acquireLease(new AbortController().signal)
  const audio = Buffer.alloc(417)
  const atMs = ports.clock.nowMs()
  await lease.publish({ frame: 1, frames: 1, atMs, byte: 0, audio, markers: [] })
  await until('the stream', async () => !!(await ask()).source, EVERY_MS)
  const { source } = await ask()
  t.match(source, { listenurl: address, listeners: 0, server_type: 'audio/mpeg', dummy: null })
  t.notOk((await ask('?mount=/other.mp3')).source)
  t.match((await ask('?mount=/api/stream/public.mp3')).source, { bitrate: 192 })
  await lease.release()
})

t.test('in sync mode there is no stream for a playlist', async (t) => {
  const { app } = await openApp(t)
  t.match((await app.inject('/listen.pls')).json(), { error: { code: 'STREAM_OFF' } })
})

t.test('a reply that is known already is not sent again', async (t) => {
  const station = await openApp(t, { NIGHT_MODE: 'false' })
  const { app, ports } = station
  await putOnAir(station, playing('One', ports.clock.nowMs()))
  const ask = (etag?: string) => app.inject({ url: URL_OF, headers: etag ? { 'if-none-match': etag } : {} })
  await until('the song', async () => (await ask()).json().current?.title === 'One', EVERY_MS)
  const { headers } = await ask()
  t.equal(headers['cache-control'], 'public, max-age=1')
  const etag = String(headers.etag)
  const known = await ask(`"other", ${etag}`)
  t.equal(known.statusCode, 304)
  t.equal(known.body, '')
  t.equal(known.headers.etag, etag)
  await putOnAir(station, playing('Two', ports.clock.nowMs()))
  await until('another tag', async () => (await ask(etag)).statusCode === 200, EVERY_MS)
  t.equal((await ask()).json().current.title, 'Two')
})

t.test('pages of every site may read it, without credentials', async (t) => {
  const { app } = await openApp(t, { CLIENT_ORIGIN: 'https://player.example' })
  const ask = (origin: string, url = URL_OF) => app.inject({ url, headers: { origin } })
  const stranger = await ask('https://elsewhere.example')
  t.equal(stranger.headers['access-control-allow-origin'], '*')
  t.notOk(stranger.headers['access-control-allow-credentials'])
  t.match(stranger.headers['access-control-expose-headers'], /ETag/)
  const own = await ask('https://player.example')
  t.equal(own.headers['access-control-allow-origin'], 'https://player.example')
  t.equal(own.headers['access-control-allow-credentials'], 'true')
  t.notOk((await ask('https://elsewhere.example', '/api/history')).headers['access-control-allow-origin'])
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: URL_OF,
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'if-none-match',
    },
  })
  t.equal(preflight.statusCode, 204)
  t.equal(preflight.headers['access-control-allow-origin'], '*')
  t.equal(preflight.headers['access-control-allow-headers'], 'if-none-match')
})

t.test('an address may ask 120 times a minute', async (t) => {
  const { app, ports, tokens } = await openApp(t)
  const key = `solstice:limit:now-playing:${tokens.uidOf('127.0.0.1')}`
  await ports.redis.set(key, 119, 'PX', 60_000)
  t.equal((await app.inject(URL_OF)).statusCode, 200)
  const refused = await app.inject(URL_OF)
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, { 'ratelimit-policy': '120;w=60', 'retry-after': String })
  t.match(refused.json(), { error: { code: 'RATE_LIMITED' } })
})

t.test('events tell each change, to pages of every site, until the replica leaves', async (t) => {
  const station = await openApp(t, { NIGHT_MODE: 'false' })
  const { app, ports } = station
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = await followEvents(t, `${url}/api/now-playing/events`, {
    origin: 'https://elsewhere.example',
  })
  t.equal(client.headers['access-control-allow-origin'], '*')
  await client.event<NowPlaying>(({ state }) => state === 'preparing')
  await putOnAir(station, playing('One', ports.clock.nowMs()))
  const event = await client.event<NowPlaying>(({ current }) => current?.title === 'One')
  t.ok(Value.Check(Shape, event), 'an event is a reply')
  t.equal(event.station.url, `${url}/`)
  const probe = await fetch(`${url}/api/now-playing/events`, { method: 'HEAD' })
  t.equal(probe.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const closed = app.close()
  await client.ended
  await closed
})
