import type { RequestListener } from 'node:http'
import { openLyricsBatches } from '@solstice/adapters'
import { failureBody, type LyricsBatchResult, type LyricsStatus, messages } from '@solstice/contracts'
import { lyricsKey, normalizeLyrics } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { type Ask, asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { start } from '../../harness/processes/processes.ts'
import { programOf } from '../../harness/processes/programs.ts'
import { openLyricsService } from '../../harness/servers/lyrics-service.ts'
import { dataSettings } from '../../harness/servers/postgres.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

useStores('sql+local')

const LYRICS = '/api/admin/lyrics'
const BATCH = '/api/admin/jobs/lyrics-batch'
const SYNCED = '[00:01.00]one\n[00:02.00]two'
const synced = { synced: true, lines: [1, 2].map((time) => ({ time, text: time === 1 ? 'one' : 'two' })) }
const plain = (...texts: string[]) => ({ synced: false, lines: texts.map((text) => ({ time: 0, text })) })
const query = (about: Record<string, string>) => `?${new URLSearchParams(about)}`
const missing = (field: string) => failureBody('BAD_REQUEST', { field, reason: 'missing' })

/** The log's entries about lyrics. */
async function logged({ ports }: OpenApp) {
  const entries = await ports.data.audit.find({ operationType: 'edit_song_lyrics' })
  return entries.map(({ data: { details, ...song } }) => ({
    ...(song as { title: string; artist: string }),
    ...details,
  }))
}

// Some of them mostly wait.
t.jobs = 3

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

/** Polls until the batch has ended. */
async function ended(ask: Ask, jobId: string): Promise<{ state: string; results: LyricsBatchResult[] }> {
  let batch = { state: '', results: [] as LyricsBatchResult[] }
  await until(`the end of batch ${jobId}`, async () => {
    batch = (await ask(`GET ${BATCH}/${jobId}`)).body
    return batch.state === 'done' || batch.state === 'failed'
  })
  return batch
}

t.test('a batch keeps the better lyrics, and reports its progress on every replica', async (t) => {
  const service = await openLyricsService(t)
  const env = { ...SUPER_ADMIN, LYRICS_API_URL: service.url, NIGHT_MODE: 'false' }
  const station = await openApp(t, env)
  const { ports, addTrack } = station
  const other = await openApp(t, env, pino({ level: 'silent' }), station)
  const { ask, token } = await asAdmin(station, ['editor_lyrics'])
  const { data } = ports
  await startJobs(t, ports)
  const client = openSocket(t, await other.app.listen({ port: 0, host: '127.0.0.1' }))
  await client.first('radio_hosts_mode')
  client.socket.emit('admin_active', token)
  await client.first('admin_confirmed')

  const known: Record<string, object> = {}
  const give = { synced: { syncedLyrics: SYNCED }, plain: { plainLyrics: 'found' } }
  const have: Record<LyricsStatus, object | null> = { synced, plain: plain('had'), none: null }
  const cases: { id: string; had: LyricsStatus; found: LyricsStatus }[] = []
  for (const had of ['none', 'plain', 'synced'] as const)
    for (const found of ['none', 'plain', 'synced'] as const) {
      const title = `${had} ${found}`
      const { id } = await addTrack(`night/${title}.mp3`, null, { title, artist: 'A' })
      if (found !== 'none') known[title] = give[found]
      cases.push({ id, had, found })
    }
  const reset = async () => {
    await data.lyrics.delete(() => true)
    for (const { had, found } of cases) {
      const entry = have[had]
      if (entry) await data.lyrics.put({ key: lyricsKey('A', `${had} ${found}`), ...plain(), ...entry })
    }
  }
  const songIds = [...cases.map(({ id }) => id), 'day/never.mp3', cases[0]!.id]
  const run = async (force: boolean) => {
    await reset()
    service.asked.length = 0
    const { body } = await ask(`POST ${BATCH}`, { songIds, force })
    const { state, results } = await ended(ask, body.jobId)
    t.equal(state, 'done')
    const gone = results.pop()
    t.same(gone, {
      songId: 'day/never.mp3',
      outcome: 'failed',
      before: 'none',
      after: 'none',
      error: 'TRACK_NOT_FOUND',
    })
    t.same(
      results.map(({ songId }) => songId),
      cases.map(({ id }) => id),
      'each track once, in order',
    )
    const said = await client.first<Record<'jobId' | 'state', string>>(
      'job_progress',
      ({ jobId, state }) => jobId === body.jobId && state === 'done',
    )
    t.match(said, { name: 'lyrics-batch', done: 10, total: 10 })
    return results.map(({ before, outcome, after }) => `${before} ${outcome} ${after}`)
  }
  service.knows(known)
  const early = await ask(`POST ${BATCH}`, { songIds: [cases[1]!.id] })
  t.match(
    (await ended(ask, early.body.jobId)).results,
    [{ outcome: 'failed', error: 'AIR_UNAVAILABLE', after: 'none' }],
    'nothing is saved past an air that may be playing it',
  )
  const air = await startAir(t, ports)
  t.equal(air.state.mode, 'day')

  t.same(await run(false), [
    'none not_found none',
    'none saved plain',
    'none saved synced',
    'plain not_found plain',
    'plain kept plain',
    'plain saved synced',
    'synced kept synced',
    'synced kept synced',
    'synced kept synced',
  ])
  t.same(
    service.titles(),
    cases.filter(({ had }) => had !== 'synced').map(({ had, found }) => `${had} ${found}`),
    'nothing is better than synced, so nobody is asked',
  )
  t.match(await data.lyrics.get(lyricsKey('A', 'plain plain')), plain('had'))
  t.same((await logged(station)).at(-1), {
    title: 'plain synced',
    artist: 'A',
    version: 1,
    changes: [{ field: 'lyricsStatus', before: 'plain', after: 'synced' }],
    info: { source: 'batch', force: false },
  })
  t.equal((await logged(station)).length, 3)

  t.same(await run(true), [
    'none not_found none',
    'none saved plain',
    'none saved synced',
    'plain not_found plain',
    'plain saved plain',
    'plain saved synced',
    'synced not_found synced',
    'synced saved plain',
    'synced kept synced',
  ])
  t.match(await data.lyrics.get(lyricsKey('A', 'plain plain')), plain('found'))
  t.same((await logged(station)).at(-1)?.info, { source: 'batch', force: true })

  service.answer = (request, response) =>
    request.url!.includes('plain+plain') ? response.destroy() : response.writeHead(404).end()
  const away = await run(true)
  t.equal(
    away.filter((outcome) => outcome.includes('not_found')).length,
    8,
    'a failure does not stop the rest',
  )
  t.equal(away[4], 'plain failed plain')

  service.knows(known)
  service.most = 0
  await reset()
  const both = await Promise.all([1, 2].map(() => ask(`POST ${BATCH}`, { songIds, force: true })))
  for (const { body } of both) t.equal((await ended(ask, body.jobId)).state, 'done')
  t.equal(service.most, 1, 'two batches never ask at the same time')

  t.equal((await ask(`GET ${BATCH}/9999`)).status, 404)
  for (const id of ['wait', 'meta', 'x%2Fy']) t.equal((await ask(`GET ${BATCH}/${id}`)).status, 404, id)
  for (const body of [{}, { songIds: [] }, { songIds: [{}] }, { songIds: ['a'], force: 'maybe' }])
    t.equal((await ask(`POST ${BATCH}`, body)).status, 400)

  await ports.redis.incrby('solstice:limit:lyrics-batch:helper with editor_lyrics', 39_990)
  t.match(await ask(`POST ${BATCH}`, { songIds: ['day/never.mp3'] }), {
    status: 429,
    body: { error: { code: 'RATE_LIMITED', retryAfterSecs: Number } },
  })
  const { ask: askAsOther } = await asAdmin(station)
  t.match(
    await askAsOther(`POST ${BATCH}`, { songIds: ['day/never.mp3'] }),
    { status: 200, headers: { 'ratelimit-remaining': '39980', 'ratelimit-reset': /^3[56]\d\d$/ } },
    'one is not all',
  )
})

t.test('a batch leaves the lyrics of the track on air and of the next one alone', async (t) => {
  const service = await openLyricsService(t)
  const station = await openApp(t, { ...SUPER_ADMIN, LYRICS_API_URL: service.url, NIGHT_MODE: 'false' })
  const { ports, addTrack } = station
  const { ask } = await asAdmin(station)
  const ids: string[] = []
  for (let i = 0; i < 4; i++)
    ids.push((await addTrack(`day/${i}.mp3`, null, { title: `${i}`, artist: `A${i}`, duration: 900 })).id)
  service.answer = (_, response) => response.end(JSON.stringify({ syncedLyrics: SYNCED }))
  await startJobs(t, ports)
  const { playlist } = (await startAir(t, ports)).state
  const locked = playlist.entries.slice(playlist.index, playlist.index + 2).map(({ track }) => track.id)
  const { body } = await ask(`POST ${BATCH}`, { songIds: ids })
  const { results } = await ended(ask, body.jobId)
  for (const { songId, outcome, after, error } of results)
    if (locked.includes(songId)) t.same([outcome, after, error], ['failed', 'none', 'TRACK_LOCKED'])
    else t.same([outcome, after], ['saved', 'synced'])
  t.equal((await ports.data.lyrics.find()).length, 2)
})

t.test('another process finishes the batch of a dead one, and nothing is done twice', async (t) => {
  const service = await openLyricsService(t)
  const env = { ...SUPER_ADMIN, LYRICS_API_URL: service.url, NIGHT_MODE: 'false', DEMO_LIBRARY: 'false' }
  const station = await openApp(t, env)
  const { ports, addTrack } = station
  const { ask } = await asAdmin(station)
  const ids: string[] = []
  for (let i = 0; i < 12; i++)
    ids.push((await addTrack(`night/${i}.mp3`, null, { title: `${i}`, artist: 'A' })).id)
  await startAir(t, ports)
  const { dataDir, mediaDir, jwtSecret } = ports.config
  const program = await programOf('apps/jobs/src/main.ts')
  const process = async () =>
    start(t, 'node', [program], {
      ...env,
      REDIS_URL: station.redis.url,
      DATA_DIR: dataDir,
      MEDIA_DIR: mediaDir,
      JWT_SECRET: jwtSecret,
      ...(await dataSettings(station.folder, env)),
    })
  // The service holds two lookups back until the requesting process is gone.
  service.answer = (_, response) => {
    if (![4, 8].includes(service.asked.length)) response.end(JSON.stringify({ syncedLyrics: SYNCED }))
  }
  const { jobId } = (await ask(`POST ${BATCH}`, { songIds: ids })).body
  const progress = async () => (await ask(`GET ${BATCH}/${jobId}`)).body
  const first = await process()
  await service.wasAsked(4)
  first.child.kill('SIGTERM')
  t.equal(await first.exited, 0)
  t.match(await progress(), { state: 'waiting', done: 3, total: 12 })
  const second = await process()
  await service.wasAsked(8)
  await second.end('SIGKILL')
  t.match(await progress(), { done: 6, total: 12 })
  await startJobs(t, ports)
  const { state, results } = await ended(ask, jobId)
  t.equal(state, 'done')
  t.same(
    results.map(({ songId, outcome }) => [songId, outcome]),
    ids.map((id) => [id, 'saved']),
  )
  const twice = service.titles().filter((title, i, all) => all.indexOf(title) !== i)
  t.same(twice, ['3', '6'], 'only what was under way is asked for again')
  t.equal((await logged(station)).length, 12)
})

t.test('of two runs of one batch, the overtaken one gives up', async (t) => {
  const { ports } = await openApp(t)
  const [one, two] = [openLyricsBatches(ports.redis), openLyricsBatches(ports.redis)]
  const result = { songId: 'a', outcome: 'kept', before: 'none', after: 'none' } as const
  t.ok(await one.add('1', 0, result))
  t.ok(await one.add('1', 0, result), 'said again after a lost answer')
  t.notOk(await two.add('1', 0, result))
  t.ok(await two.add('1', 1, result))
  t.notOk(await one.add('1', 1, result))
  t.same(await one.results('1'), [result, result])
})
