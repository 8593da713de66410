import type { RequestListener } from 'node:http'
import { failureBody, messages } from '@solstice/contracts'
import { lyricsKey, normalizeLyrics } from '@solstice/station'
import t from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openLyricsService } from '../../harness/servers/services/lyrics-service.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { BATCH, logged, plain, SYNCED, synced } from './lyrics-examples.ts'

useStores('sql+local')

// Some of them mostly wait.
t.jobs = 3

const LYRICS = '/api/admin/lyrics'
const query = (about: Record<string, string>) => `?${new URLSearchParams(about)}`
const missing = (field: string) => failureBody('BAD_REQUEST', { field, reason: 'missing' })

t.test('lyrics are put, read, listed and deleted', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { addTrack } = station
  const { ask } = await asAdmin(station, ['editor_lyrics'])
  const about = { artist: 'Océan', title: 'Deep', album: 'Sea', year: 2001 }
  await addTrack('night/b.mp3', null, about)
  await addTrack('day/a.mp3', null, { artist: 'beta', title: 'x' })
  const song = { title: ' Deep ', artist: 'OCÉAN' }
  const key = 'océan||deep'
  const entryOf = async (by: Record<string, string>) =>
    (await ask(`GET ${LYRICS}/cache-entry${query(by)}`)).body
  const put = (entry?: object, more = {}) => ask(`PUT ${LYRICS}/cache`, { ...song, entry, ...more })

  const nothing = { key, offset: 0, entry: { synced: false, lines: [] } }
  t.same(await entryOf({ songId: 'night/b.mp3' }), { songId: 'night/b.mp3', ...nothing })
  t.same(await entryOf(song), { songId: null, ...nothing })
  t.same((await put(synced)).body, { ok: true })
  await put({ ...synced, lines: synced.lines.toReversed() })
  t.same((await entryOf(song)).entry, synced)
  t.same((await ask(`GET ${LYRICS}/songs`)).body, {
    items: [
      {
        id: 'day/a.mp3',
        key: 'beta||x',
        artist: 'beta',
        title: 'x',
        album: '',
        year: null,
        mode: 'day',
        filename: 'a.mp3',
        status: 'none',
      },
      { id: 'night/b.mp3', key, ...about, mode: 'night', filename: 'b.mp3', status: 'synced' },
    ],
  })
  t.same((await put({ synced: false, lines: ['a', { time: 7, text: 'b' }] })).body, { ok: true })
  t.same((await entryOf(song)).entry, plain('a', 'b'))
  t.match((await ask(`GET ${LYRICS}/songs`)).body.items[1], { status: 'plain' })
  t.same((await ask(`GET ${LYRICS}/cache-index`)).body, {
    items: [{ key, artist: 'océan', title: 'deep', status: 'plain' }],
  })
  await ask(`PUT ${LYRICS}/cache`, { title: 'T', artist: 'A', entry: { ...plain(), notFound: true } })
  t.same((await ask(`GET ${LYRICS}/cache-full`)).body, {
    [key]: plain('a', 'b'),
    'a||t': { synced: false, lines: [], notFound: true },
  })

  const remove = () => ask(`DELETE ${LYRICS}/cache${query(song)}`)
  t.same((await remove()).body, { ok: true, existed: true })
  t.same((await remove()).body, { ok: true, existed: false })
  t.same(await entryOf(song), { songId: null, ...nothing })
  const change = (before: string, after: string) => ({
    title: 'Deep',
    artist: 'OCÉAN',
    version: 1,
    changes: [{ field: 'lyricsStatus', before, after }],
    info: {},
  })
  t.same(
    (await logged(station)).filter(({ title }) => title === 'Deep'),
    [change('none', 'synced'), change('synced', 'plain'), change('plain', 'none')],
    'unchanged lyrics are not logged, and texts never are',
  )

  for (const field of ['title', 'artist'])
    for (const value of [undefined, ' ']) {
      t.same((await put(synced, { [field]: value })).body, missing(field))
      const asked = query(
        value ? { ...song, [field]: value } : { [field === 'title' ? 'artist' : 'title']: 'x' },
      )
      t.same((await ask(`DELETE ${LYRICS}/cache${asked}`)).body, missing(field))
      t.same((await ask(`GET ${LYRICS}/cache-entry${asked}`)).body, missing(field))
      t.same((await ask(`GET ${LYRICS}/audio-preview${asked}`)).body, missing(field))
    }
  t.same((await put(undefined)).body, missing('entry'))
  for (const entry of [5, { synced: true, lines: 'x' }, { synced: true, lines: [{ time: -1, text: '' }] }])
    t.equal((await ask(`PUT ${LYRICS}/cache`, { ...song, entry })).status, 400)
  t.match((await put({ synced: true, lines: ['no time'] })).body, { error: { reason: 'line_untimed' } })
  t.equal((await ask(`GET ${LYRICS}/cache-entry?songId=day/never.mp3`)).status, 404)
  t.match((await ask(`GET ${LYRICS}/cache-entry?songId=`)).body, {
    error: { field: 'title', reason: 'missing' },
  })
})

t.test('lyrics are stored in one normal form', async (t) => {
  const lines = (entry: Parameters<typeof normalizeLyrics>[0]) =>
    normalizeLyrics(entry).lines.map(({ time, text }) => `${time} ${text}`)
  t.same(lines({ synced: false, lines: ['', ' a\tb ', '', '', { time: 3, text: 'c' }, ' '] }), [
    '0 a b',
    '0 ',
    '0 c',
  ])
  t.same(
    lines({ synced: true, lines: [{ time: 2.006, text: 'b' }, '[00:01.239] a', '', { time: 5, text: ' ' }] }),
    ['1.24 a', '2.01 b'],
  )
  t.same(normalizeLyrics({ synced: true, lines: ['', '[00:01.00]'] }), { synced: false, lines: [] })
  t.same(normalizeLyrics({ ...plain('a'), notFound: true }), plain('a'), 'lyrics with lines count as found')
})

t.test('an offset shifts the lines that listeners get', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ask } = await asAdmin(station, [])
  const editor = await asAdmin(station, ['editor_meta'])
  const shift = (offset: unknown, song: object = { title: 'Deep', artist: 'Océan' }) =>
    ask('POST /api/lyrics/offset', { ...song, offset })
  const stored = async () => (await editor.ask(`GET ${LYRICS}/offsets`)).body
  t.same((await shift(-1.2345)).body, { ok: true, offset: -1.23 })
  t.same(await stored(), { 'océan||deep': -1.23 })
  t.same((await shift(-1.2301)).body, { ok: true, offset: -1.23 })
  t.same((await shift(0.0009)).body, { ok: true, offset: 0 })
  t.same(await stored(), {})
  t.same(
    (await logged(station)).map(({ changes }) => changes),
    [[{ field: 'offset', before: 0, after: -1.23 }], [{ field: 'offset', before: -1.23, after: 0 }]],
  )
  t.same((await shift(1, { artist: 'a' })).body, missing('title'))
  t.same((await shift(1, { title: 'a' })).body, missing('artist'))
  for (const wrong of [undefined, 'x', {}, 1e9, '1e400']) t.equal((await shift(wrong)).status, 400)
})

t.test('each action needs its privilege', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const [uploader, nobody] = [await asAdmin(station, ['upload_songs']), await asAdmin(station, ['stats'])]
  const meta = await asAdmin(station, ['editor_meta'])
  const search = 'POST /api/admin/upload-song-lyrics'
  const song = { title: 'a', artist: 'b' }
  for (const { ask } of [uploader, nobody])
    for (const path of ['songs', 'offsets', 'cache-index', 'cache-entry', 'cache-full', 'audio-preview'])
      t.equal((await ask(`GET ${LYRICS}/${path}${query(song)}`)).status, 403)
  t.equal((await nobody.ask(`PUT ${LYRICS}/cache`, { ...song, entry: synced })).status, 403)
  t.equal((await nobody.ask(`DELETE ${LYRICS}/cache${query(song)}`)).status, 403)
  t.equal((await uploader.ask(search, song)).status, 200)
  for (const { ask } of [nobody, meta]) t.equal((await ask(search, song)).status, 403)
  for (const { ask } of [uploader, meta]) {
    t.equal((await ask(`POST ${BATCH}`, { songIds: ['x'] })).status, 403)
    t.equal((await ask(`GET ${BATCH}/1`)).status, 403)
  }
})

t.test('the audio URL of a song opens nothing else', async (t) => {
  const env = { ...SUPER_ADMIN, PUBLIC_SERVER_URL: 'https://radio.example', MEDIA_STORAGE: 'local' }
  const station = await openApp(t, env)
  const { app, addTrack } = station
  const { ask, token } = await asAdmin(station, ['editor_lyrics'])
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 251))
  const { id } = await addTrack('day/Тиха & #1.mp3', bytes, { title: 'T', artist: 'A' })
  await addTrack('day/other.mp3', bytes, { title: 'O', artist: 'A' })
  const preview = await ask(`GET ${LYRICS}/audio-preview${query({ title: 't', artist: 'a' })}`)
  const url = new URL(preview.body.url)
  t.equal(url.origin, 'https://radio.example')
  t.equal(preview.headers['cache-control'], 'no-store')
  t.equal((await ask(`GET ${LYRICS}/audio-preview${query({ title: 'x', artist: 'a' })}`)).status, 404)

  const path = url.pathname + url.search
  t.ok(bytes.equals((await app.inject(path)).rawPayload))
  const part = await app.inject({ url: path, headers: { range: 'bytes=-10' } })
  t.equal(part.statusCode, 206)
  t.ok(bytes.subarray(-10).equals(part.rawPayload))
  t.equal((await app.inject({ url: path, headers: { range: 'bytes=5000-' } })).statusCode, 416)

  const fileToken = url.searchParams.get('adminToken')!
  const audio = (track: string, adminToken: string) =>
    app.inject(`/api/audio/stream/admin${query({ track, adminToken })}`)
  for (const track of ['day/other.mp3', 'day/never.mp3'])
    t.same((await audio(track, fileToken)).json(), failureBody('UNAUTHORIZED'), track)
  t.equal((await audio(id, `${fileToken}x`)).statusCode, 401)
  t.equal((await app.inject(`/api/audio/stream/admin${query({ track: id })}`)).statusCode, 401)
  t.ok(bytes.equals((await audio(id, token)).rawPayload), 'a whole admin token opens everything')
  t.same((await audio('day/never.mp3', token)).json(), failureBody('TRACK_NOT_FOUND'))
  for (const track of ['../data/admins.json', 'day/../../x', 'day/a\\b'])
    t.equal((await audio(track, token)).statusCode, 400, track)
})

t.test('a search always asks the service, and stores nothing', async (t) => {
  const service = await openLyricsService(t)
  const station = await openApp(t, { ...SUPER_ADMIN, LYRICS_API_URL: service.url })
  const { ports, addTrack } = station
  const { ask } = await asAdmin(station, ['upload_songs'])
  const search = (song: object) => ask('POST /api/admin/upload-song-lyrics', song)
  await ports.data.lyrics.put({ key: lyricsKey('A', 'Both'), ...plain('remembered') })
  await addTrack('day/b.mp3', null, { artist: 'A', title: 'Both', duration: 61 })
  service.knows({ Both: { syncedLyrics: SYNCED, plainLyrics: 'x' }, Plain: { plainLyrics: 'x' } })

  const found = (await search({ title: 'Both', artist: 'A', album: 'B', duration: 99.6 })).body
  t.match(found, {
    ok: true,
    lyricsStatus: 'synced',
    lyricsFormat: 'synced',
    message: messages.LYRICS_SYNCED,
  })
  t.match(found.lyricsEntry, synced)
  await search({ title: 'Both', artist: 'A', duration: null })
  t.equal((await search({ title: 'Both', artist: 'A', duration: '1e400' })).status, 400)
  t.same(
    service.asked.map((search) => Object.fromEntries(search)),
    [
      { track_name: 'Both', artist_name: 'A', album_name: 'B', duration: '100' },
      { track_name: 'Both', artist_name: 'A', duration: '61' },
    ],
  )
  t.match((await search({ title: 'Plain', artist: 'A' })).body, {
    lyricsStatus: 'plain',
    lyricsFormat: 'plain',
  })
  const none = await search({ title: 'Never', artist: 'A' })
  t.same(
    [none.status, none.body],
    [
      200,
      {
        ok: true,
        lyricsEntry: { synced: false, lines: [], notFound: true },
        lyricsStatus: 'none',
        lyricsFormat: null,
        message: messages.LYRICS_NONE,
      },
    ],
  )
  t.same((await search({ title: 'x' })).body, missing('artist'))
  t.same((await search({ artist: 'x', title: '' })).body, missing('title'))

  for (const away of [
    (_, response) => response.destroy(),
    (_, response) => response.writeHead(503).end(),
  ] satisfies RequestListener[]) {
    service.answer = away
    const answer = await search({ title: 'Both', artist: 'A' })
    t.equal(answer.status, 500)
    t.match(answer.body, {
      ok: false,
      lyricsEntry: { synced: false, lines: [], notFound: true, reason: 'fetch_error' },
      lyricsStatus: 'none',
      lyricsFormat: null,
      error: { code: 'FETCH_FAILED', en: String, uk: String },
      message: messages.LYRICS_LOOKUP_FAILED,
    })
  }
  t.equal((await ports.data.lyrics.find()).length, 1)
  const off = await asAdmin(await openApp(t, SUPER_ADMIN), ['upload_songs'])
  t.match((await off.ask('POST /api/admin/upload-song-lyrics', { title: 'a', artist: 'b' })).body, {
    ok: true,
    lyricsStatus: 'none',
  })
})
