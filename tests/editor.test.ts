import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mode, Privilege, Track } from '@solstice/contracts'
import { shownQueue } from '@solstice/playout'
import { lyricsKey, stagedKey } from '@solstice/station'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from './harness/admin.ts'
import { type OpenApp, openApp } from './harness/app.ts'
import { makeTone } from './harness/audio.ts'
import { start, temporaryFolder } from './harness/processes.ts'
import { type Air, startAir, startJobs } from './harness/workers.ts'

const ODD = ['Жінка + дитина & 100%.mp3', 'a b  c#d.mp3', "l'été (1) [x];.mp3"]
const LONG = { duration: 600 }

interface Station extends OpenApp {
  air: Air
  /** Ids of tracks that are neither playing nor next, of the mode on air. */
  free(): string[]
  locked(): { current: string; next: string }
  ids(mode?: Mode): Promise<string[]>
  /** Records and files agree, exactly. */
  assertWhole(t: Test): Promise<void>
  hasFile(id: string): Promise<boolean>
}

/** A station on air, with tracks of these ids, each by an artist of its own. */
async function openStation(t: Test, ids: string[], env: Record<string, string> = {}): Promise<Station> {
  const station = await openApp(t, { ...SUPER_ADMIN, NIGHT_MODE: 'false', ...env })
  const { ports } = station
  for (const id of ids) await station.addTrack(id, undefined, { ...LONG, artist: `Artist of ${id}` })
  for (const { mode, artist } of await ports.data.tracks.find()) {
    const key = artist.toLowerCase().replace(/[/?]/g, '_')
    if (mode === 'day') await ports.data.artists.put({ artist: key, hasArt: false, artFileName: '' })
  }
  await startJobs(t, ports)
  const air = await startAir(t, ports)
  const locked = () => {
    const { onAir } = air.state
    if (onAir.phase !== 'track') throw new Error('nothing is on air')
    return { current: onAir.entry.track.id, next: shownQueue(air.state)[0]!.track.id }
  }
  const hasFile = (id: string) =>
    stat(join(ports.config.mediaDir, 'music', id)).then(
      () => true,
      () => false,
    )
  const idsOf = async (mode?: Mode) =>
    (await ports.data.tracks.find(mode && { mode })).map(({ id }) => id).sort()
  return {
    ...station,
    air,
    locked,
    hasFile,
    ids: idsOf,
    free: () => {
      const { current, next } = locked()
      return ids.filter((id) => id.startsWith('day/') && id !== current && id !== next)
    },
    async assertWhole(t) {
      const files = [...(await ports.media.list('day')), ...(await ports.media.list('night'))].sort()
      t.same(await idsOf(), files, 'every record has its file, every file its record')
    },
  }
}

const names = (count: number, mode: Mode = 'day') =>
  Array.from({ length: count }, (_, i) => `${mode}/${String(i).padStart(3, '0')}.mp3`)

t.test(
  'a track leaves library, storage, queue, groups and lyrics; its artist goes with its last day track',
  async (t) => {
    const station = await openStation(t, [...ODD.map((name) => `day/${name}`), ...names(20)])
    const { ports, air } = station
    const { ask } = await asAdmin(station)
    const [id, second] = station.free()
    const track = (await ports.data.tracks.get(id!))!
    const key = lyricsKey(track.artist, track.title)
    await ports.data.lyrics.put({ key, synced: false, lines: [{ time: 0, text: 'la' }] })
    await ports.data.offsets.put({ key, offset: 1 })
    const group = { id: 'g', name: 'G', nameKey: 'g', mode: 'day' as const, createdAt: 0, revision: 1 }
    await ports.data.groups.put({ ...group, songs: [second!, id!] })
    const artist = track.artist.toLowerCase().replace('/', '_')
    await ports.media.put(`arts/${artist}.jpg`, Buffer.from('image'))
    await ports.data.artists.put({ artist, hasArt: true, artFileName: `${artist}.jpg` })

    const queued = shownQueue(air.state).filter(({ track }) => track.id === id).length
    const { status, body } = await ask('DELETE /api/admin/song-editor', { songId: id })
    t.equal(status, 200)
    t.match(body, { ok: true, removedCurrent: false, removedArtists: [{ artist, hasArt: true }] })
    t.ok(body.removedFromQueue >= queued)
    t.equal(await ports.data.tracks.get(id!), null)
    t.notOk(await station.hasFile(id!))
    t.equal(await ports.data.lyrics.get(key), null)
    t.equal(await ports.data.offsets.get(key), null)
    t.same((await ports.data.groups.get('g'))?.songs, [second])
    t.equal(await ports.data.artists.get(artist), null)
    t.equal(await ports.media.stat(`arts/${artist}.jpg`), null)
    t.match(await ports.data.audit.find({ operationType: 'delete_song' }), [
      { adminId: 'super', data: { title: track.title, artist: track.artist } },
    ])
    t.ok(await air.until((state) => !shownQueue(state).some((entry) => entry.track.id === id)))
    t.equal((await ask('DELETE /api/admin/song-editor', { songId: id })).body.error.code, 'TRACK_NOT_FOUND')
    t.equal((await ask(`DELETE /api/admin/song-editor?songId=${encodeURIComponent(second!)}`)).status, 200)
    t.equal((await ask('DELETE /api/admin/song-editor')).body.error.field, 'songId')
    await station.assertWhole(t)

    const { current, next } = station.locked()
    for (const [songId, reason] of [
      [current, 'current'],
      [next, 'next'],
    ]) {
      const refused = await ask('DELETE /api/admin/song-editor', { songId })
      t.equal(refused.status, 409)
      t.match(refused.body, {
        ok: false,
        error: { code: 'TRACK_LOCKED', reason, localized: { uk: String } },
        localized: {},
      })
      const moved = await ask('POST /api/admin/song-editor/move-mode', { songId, targetMode: 'night' })
      t.match(moved, { status: 409, body: { error: { code: 'TRACK_LOCKED', reason } } })
    }
    await station.assertWhole(t)

    const helper = await asAdmin(station, ['editor_lyrics'])
    t.equal((await helper.ask('DELETE /api/admin/song-editor', { songId: current })).status, 403)
  },
)

t.test(
  'a batch answers in the order asked, each track once, and passes over what is locked or unknown',
  async (t) => {
    const station = await openStation(t, names(140))
    const { ask } = await asAdmin(station)
    const { current, next } = station.locked()
    const gone = station.free().slice(0, 120)
    const songIds = [gone[0]!, current, 'day/no such.mp3', ...gone, next, '../../etc/passwd', gone[3]!]
    const { status, body } = await ask('POST /api/admin/song-editor/batch-delete', { songIds })
    t.equal(status, 200)
    const expected = [...new Set(songIds)]
    t.same(
      body.results.map(({ songId }: { songId: string }) => songId),
      expected,
    )
    const errors = body.results.filter(({ ok }: { ok: boolean }) => !ok)
    t.same(errors, [
      { songId: current, ok: false, error: 'TRACK_LOCKED' },
      { songId: 'day/no such.mp3', ok: false, error: 'TRACK_NOT_FOUND' },
      { songId: next, ok: false, error: 'TRACK_LOCKED' },
      { songId: '../../etc/passwd', ok: false, error: 'TRACK_NOT_FOUND' },
    ])
    t.equal(body.removedArtists.length, 120)
    t.equal((await station.ids()).length, 20)
    t.equal((await station.ports.data.audit.find({ operationType: 'delete_song' })).length, 120)
    await station.assertWhole(t)
    t.equal((await ask('POST /api/admin/song-editor/batch-delete', { songIds: [] })).status, 400)
  },
)

t.test('a track moves with its file; groups of its mode lose it, artists without image go', async (t) => {
  const station = await openStation(t, [...ODD.map((name) => `day/${name}`), ...names(20), 'night/000.mp3'])
  const { ports } = station
  const { ask } = await asAdmin(station)
  const songId = station.free().find((id) => ODD.includes(id.slice(4)))!
  const newId = songId.replace('day/', 'night/')
  const before = (await ports.data.tracks.get(songId))!
  const group = { id: 'g', name: 'G', nameKey: 'g', mode: 'day' as const, createdAt: 0, revision: 1 }
  await ports.data.groups.put({ ...group, songs: [songId] })

  const { status, body } = await ask('POST /api/admin/song-editor/move-mode', { songId, targetMode: 'night' })
  t.equal(status, 200)
  const expected: Track = { ...before, id: newId, mode: 'night', storageKey: newId }
  t.match(body.track, expected)
  t.equal(body.track.removedCurrent, false)
  t.equal(body.removedArtists.length, 1)
  t.same((await ports.data.groups.get('g'))?.songs, [])
  t.match(await ports.data.audit.find(), [
    {
      operationType: 'edit_song_meta',
      data: { movedTo: 'night', details: { changes: [{ field: 'mode', before: 'day', after: 'night' }] } },
    },
  ])
  const same = await ask('POST /api/admin/song-editor/move-mode', { songId: newId, targetMode: 'night' })
  t.match(same, { status: 200, body: { track: { id: newId }, removedArtists: [] } })
  const back = await ask('POST /api/admin/song-editor/move-mode', { songId: newId, targetMode: 'day' })
  t.match(back, { status: 200, body: { track: { id: songId } } })
  t.equal((await ports.data.artists.find()).length, 23, 'a day track has its artist again')
  await station.assertWhole(t)

  await station.addTrack('night/001.mp3')
  const { results } = (
    await ask('POST /api/admin/song-editor/batch-move', {
      songIds: ['day/000.mp3', 'day/001.mp3', 'night/000.mp3', ...station.free().slice(-3)],
      targetMode: 'night',
    })
  ).body
  for (const { songId, ok, error, newId, track } of results) {
    if (['day/000.mp3', 'day/001.mp3'].includes(songId)) t.match(error, /FILENAME_EXISTS|TRACK_LOCKED/)
    else t.match({ ok, newId, track }, { ok: true, newId: /^night/, track: { id: newId } })
  }
  await station.assertWhole(t)
})

t.test('two admins who change the same tracks at once leave one outcome', async (t) => {
  const station = await openStation(t, names(60))
  const { ask } = await asAdmin(station)
  const songIds = station.free().slice(0, 40)
  const answers = await Promise.all([
    ask('POST /api/admin/song-editor/batch-delete', { songIds }),
    ask('POST /api/admin/song-editor/batch-move', { songIds, targetMode: 'night' }),
    ask('POST /api/admin/song-editor/batch-delete', { songIds: songIds.toReversed() }),
    ...songIds.slice(0, 5).map((songId) => ask('DELETE /api/admin/song-editor', { songId })),
  ])
  t.notOk(answers.some(({ status }) => status >= 500))
  await station.assertWhole(t)
  const changes = await station.ports.data.audit.find()
  t.equal(changes.length, 40, 'each track was changed once')
})

t.test(
  'the daily quota counts what was deleted, refuses whole, and does not bind the super admin',
  async (t) => {
    const station = await openStation(t, names(40), { DELETE_QUOTA_PER_DAY: '5' })
    const helper = await asAdmin(station, ['editor_meta'])
    const boss = await asAdmin(station)
    const free = station.free()
    const remove = (songIds: string[]) => helper.ask('POST /api/admin/song-editor/batch-delete', { songIds })
    const { current } = station.locked()

    t.match(await remove(free.slice(0, 6)), { status: 429, body: { remaining: 5, limit: 5 } })
    t.equal((await remove([current, 'day/unknown.mp3', ...free.slice(0, 2)])).status, 200)
    t.match(await remove(free.slice(2, 6)), {
      status: 429,
      body: { error: { code: 'DELETE_QUOTA_EXCEEDED' }, remaining: 3 },
    })
    const racing = await Promise.all(
      free.slice(2, 8).map((id) => helper.ask('DELETE /api/admin/song-editor', { songId: id })),
    )
    t.same(racing.map(({ status }) => status).sort(), [200, 200, 200, 429, 429, 429])
    t.equal(
      (await boss.ask('POST /api/admin/song-editor/batch-delete', { songIds: free.slice(8, 20) })).status,
      200,
    )
    t.match(await remove(await station.ids()), { status: 403, body: { error: { reason: 'whole_library' } } })
    await station.assertWhole(t)
  },
)

t.test('uploads are deleted and moved by who uploaded them, within a day, and while they wait', async (t) => {
  const station = await openStation(t, names(20), { DELETE_QUOTA_PER_DAY: '1' })
  const { ports } = station
  const { ask } = await asAdmin(station, ['upload_songs'])
  const own = { addedBy: 'helper with upload_songs', addedAt: ports.clock.nowMs() }
  await station.addTrack('day/own 1.mp3')
  await station.addTrack('day/own 2.mp3')
  await station.addTrack('day/old.mp3')
  await ports.data.tracks.update({ id: 'day/own 1.mp3' }, own)
  await ports.data.tracks.update({ id: 'day/own 2.mp3' }, own)
  await ports.data.tracks.update({ id: 'day/old.mp3' }, { ...own, addedAt: own.addedAt - 25 * 3_600_000 })
  await ports.media.put(stagedKey('day/waiting.mp3'), Buffer.from('bytes'))

  const moved = await ask('POST /api/admin/upload-batch-move', {
    songIds: ['day/waiting.mp3', 'day/own 1.mp3', 'day/old.mp3', 'day/000.mp3', 'day/../x.mp3'],
    targetMode: 'night',
  })
  t.match(moved.body.results, [
    { songId: 'day/waiting.mp3', ok: true, newId: 'night/waiting.mp3' },
    { songId: 'day/own 1.mp3', ok: true, newId: 'night/own 1.mp3', track: { mode: 'night' } },
    { songId: 'day/old.mp3', ok: false, error: 'FORBIDDEN' },
    { songId: 'day/000.mp3', ok: false, error: 'FORBIDDEN' },
    { songId: 'day/../x.mp3', ok: false, error: 'TRACK_NOT_FOUND' },
  ])
  t.ok(await ports.media.stat(stagedKey('night/waiting.mp3')))
  t.notOk(await ports.media.stat(stagedKey('day/waiting.mp3')))

  const deleted = await ask('POST /api/admin/upload-batch-delete', {
    songIds: ['night/waiting.mp3', 'night/own 1.mp3', 'day/own 2.mp3', 'day/old.mp3'],
  })
  t.same(deleted.body.results, [
    { songId: 'night/waiting.mp3', ok: true },
    { songId: 'night/own 1.mp3', ok: true },
    { songId: 'day/own 2.mp3', ok: true },
    { songId: 'day/old.mp3', ok: false, error: 'FORBIDDEN' },
  ])
  t.notOk(await ports.media.stat(stagedKey('night/waiting.mp3')))
  await station.assertWhole(t)
})

t.test(
  '10 000 songs are listed from what was written once, and a download has a name that breaks nothing',
  async (t) => {
    const station = await openApp(t, SUPER_ADMIN)
    const { ask } = await asAdmin(station, [] as Privilege[])
    const { data } = station.ports
    await Promise.all(
      Array.from({ length: 10_000 }, (_, i) => {
        const [mode, filename] = [i % 2 ? 'day' : 'night', `${i}.mp3`] as const
        const id = `${mode}/${filename}`
        const about = { title: `T${i}`, artist: `A${i}`, album: '', year: null, duration: 100 }
        return data.tracks.insert({ id, mode, filename, storageKey: id, ...about })
      }),
    )
    await data.lyrics.put({ key: lyricsKey('A1', 'T1'), synced: true, lines: [{ time: 1, text: 'x' }] })
    const day = await ask('GET /api/admin/songs?mode=day')
    t.equal(day.body.length, 5_000)
    t.match(day.body[0], {
      id: 'day/1.mp3',
      filename: '1.mp3',
      title: 'T1',
      artist: 'A1',
      lyricsStatus: 'synced',
    })
    const first = await ask('GET /api/admin/songs?mode=night')
    t.equal(first.body[0].lyricsStatus, 'none')
    for (let i = 0; i < 10; i++) await ask('GET /api/admin/songs?mode=other')
    t.comment(`10 lists: ${JSON.stringify(process.cpuUsage(beganMs))}`)

    const bytes = Buffer.from('these are the bytes')
    await station.addTrack('day/x.mp3', bytes, { artist: 'Жінка\r\nSet-Cookie: a=b', title: '"; x=y / 100%' })
    const editor = await asAdmin(station, ['editor_meta'])
    const download = await editor.ask('GET /api/admin/song-editor/download?songId=day%2Fx.mp3')
    t.equal(download.status, 200)
    t.ok(download.bytes.equals(bytes))
    t.equal(download.headers['content-type'], 'audio/mpeg')
    t.equal(
      download.headers['content-disposition'],
      `attachment; filename="_______Set-Cookie_ a=b - _; x=y _ 100_.mp3"; filename*=UTF-8''${encodeURIComponent('Жінка__Set-Cookie_ a=b - _; x=y _ 100%.mp3')}`,
    )
    t.equal(download.headers['set-cookie'], undefined)
    t.equal((await editor.ask('GET /api/admin/song-editor/download?songId=day%2Fno.mp3')).status, 404)
  },
)

t.test('nobody who hangs up breaks a batch off', async (t) => {
  const station = await openStation(t, names(60))
  const { app, ports } = station
  const { token } = await asAdmin(station)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const songIds = station.free()
  const hangUp = new AbortController()
  const asked = fetch(`${url}/api/admin/song-editor/batch-delete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ songIds }),
    signal: hangUp.signal,
  })
  asked.catch(() => {})
  while (!(await ports.redis.exists('solstice:changes:1'))) await new Promise(setImmediate)
  hangUp.abort()
  await t.rejects(asked)
  // Jobs on the same tracks wait for each other, so when this one has its answer the other is done.
  await ports.jobs.perform('delete-tracks', {
    songIds: [songIds[0]!],
    scope: 'library',
    actor: { adminId: 'super', login: 'admin' },
  })
  t.equal((await station.ids()).length, 2)
  t.equal((await ports.data.audit.find({ operationType: 'delete_song' })).length, 58)
  await station.assertWhole(t)
})

t.test('without a worker nothing is changed', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ports } = station
  await startJobs(t, ports)
  const { ask } = await asAdmin(station)
  const songIds = names(3)
  for (const id of songIds) await station.addTrack(id)
  const [batch, single, saved] = await Promise.all([
    ask('POST /api/admin/song-editor/batch-delete', { songIds: songIds.slice(0, 2) }),
    ask('POST /api/admin/song-editor/move-mode', { songId: songIds[2], targetMode: 'night' }),
    ask('POST /api/admin/song-editor/save', { songId: songIds[1], metadata: {} }),
  ])
  for (const answer of [batch, single, saved])
    t.match(answer, { status: 503, body: { error: { code: 'AIR_UNAVAILABLE' } } })
  t.equal((await ports.data.tracks.find()).length, 3)
  t.same(await ports.media.list('night'), [])
})

/** The jobs in a process of their own, until it is killed. */
function startJobsProcess(t: Test, { ports: { config } }: OpenApp) {
  return start(t, 'node', ['--import', 'tsx', 'apps/jobs/src/main.ts'], {
    JWT_SECRET: config.jwtSecret,
    REDIS_URL: config.redisUrl,
    DATA_DIR: config.dataDir,
    MEDIA_DIR: config.mediaDir,
    NIGHT_MODE: 'false',
    DEMO_LIBRARY: 'false',
    LYRICS_API_URL: '',
  })
}

const bytesOfTone = async (t: Test) => {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Tagged' })
  return readFile(path)
}

t.test('jobs that are killed in the middle are finished by the next process, as if done once', async (t) => {
  const bytes = await bytesOfTone(t)
  /** Kills the process as soon as `isReached` and lets another one go on. */
  const killAt = async (
    station: OpenApp,
    isReached: () => Promise<boolean>,
    work: () => Promise<unknown>,
  ) => {
    const first = startJobsProcess(t, station)
    await first.printed(/taking jobs/)
    const answer = work()
    answer.catch(() => {})
    while (!(await isReached())) await new Promise(setImmediate)
    await first.end('SIGKILL')
    await startJobsProcess(t, station).printed(/taking jobs/)
    return answer
  }
  const prepare = async (t: Test) => {
    const station = await openApp(t, { ...SUPER_ADMIN, NIGHT_MODE: 'false' })
    const ids = names(80)
    for (const id of ids) await station.addTrack(id, bytes, LONG)
    const air = await startAir(t, station.ports)
    const { onAir } = air.state
    const locked = new Set([
      onAir.phase === 'track' ? onAir.entry.track.id : '',
      shownQueue(air.state)[0]!.track.id,
    ])
    const { ask } = await asAdmin(station)
    const files = async (mode: Mode) => (await station.ports.media.list(mode)).length
    const records = async (mode: Mode) => (await station.ports.data.tracks.find({ mode })).length
    return { ...station, ids: ids.filter((id) => !locked.has(id)), ask, files, records }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>
  const check = async (
    t: Test,
    station: Prepared,
    answer: unknown,
    operationType: string,
    left: [number, number],
  ) => {
    const { status, body } = answer as { status: number; body: { results: { ok: boolean }[] } }
    t.equal(status, 200)
    t.equal(body.results.filter(({ ok }) => ok).length, 78, 'each is answered')
    const { data, media } = station.ports
    const ids = (await data.tracks.find()).map(({ id }) => id).sort()
    t.same(ids, [...(await media.list('day')), ...(await media.list('night'))].sort())
    t.same([await station.records('day'), await station.records('night')], left)
    t.notOk(
      (await data.tracks.find()).some(({ artist }) => artist === 'Tagged'),
      'no record was made anew',
    )
    t.equal((await data.audit.find({ operationType })).length, 78)
  }

  const kills: Record<string, (station: Prepared) => Promise<boolean>> = {
    'the records are gone': async (s) => (await s.records('day')) === 2,
    'some files are gone': async (s) => (await s.files('day')) < 80,
    'some files are copied': async (s) => (await s.files('night')) > 0,
    'the records are moved': async (s) => (await s.records('night')) > 0,
  }
  await Promise.all(
    Object.entries(kills).map(([when, isReached]) =>
      t.test(when, async (t) => {
        const station = await prepare(t)
        const isMove = when.includes('copied') || when.includes('moved')
        const answer = await killAt(
          station,
          () => isReached(station),
          () =>
            isMove
              ? station.ask('POST /api/admin/song-editor/batch-move', {
                  songIds: station.ids,
                  targetMode: 'night',
                })
              : station.ask('POST /api/admin/song-editor/batch-delete', { songIds: station.ids }),
        )
        await check(t, station, answer, isMove ? 'edit_song_meta' : 'delete_song', isMove ? [2, 78] : [2, 0])
      }),
    ),
  )
})
