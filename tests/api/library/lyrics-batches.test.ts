import { openLyricsBatches } from '@solstice/adapters'
import type { LyricsBatchResult, LyricsStatus } from '@solstice/contracts'
import { lyricsKey } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { type Ask, asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { start } from '../../harness/processes/processes.ts'
import { programOf } from '../../harness/processes/programs.ts'
import { dataSettings } from '../../harness/servers/postgres.ts'
import { openLyricsService } from '../../harness/servers/services/lyrics-service.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'
import { BATCH, logged, plain, SYNCED, synced } from './lyrics-examples.ts'

useStores('sql+local')

// Some of them mostly wait.
t.jobs = 3

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
