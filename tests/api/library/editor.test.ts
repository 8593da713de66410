import { createReadStream } from 'node:fs'
import { mkdtemp, rmdir, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mode, Privilege, Track } from '@solstice/contracts'
import { shownQueue } from '@solstice/playout'
import {
  artistKey,
  createAudit,
  deleteTracks,
  lyricsKey,
  moveTracks,
  purgeWorkingCopies,
  stagedKey,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import { type Ask, asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { temporaryFolder } from '../../harness/processes/processes.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { type Air, startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

useStores('sql+cloud')

const ODD = ['Жінка + дитина & 100%.mp3', 'a b  c#d.mp3', "l'été (1) [x];.mp3"]
/** Long enough for the test, and short enough for a list of all tracks: the next track stays next. */
const LONG = { duration: 100 }

interface Station extends OpenApp {
  air: Air
  /** Ids of tracks of the current mode that are neither on air nor next. */
  free(): string[]
  locked(): { current: string; next: string }
  ids(mode?: Mode): Promise<string[]>
  /** Fails unless records and files match exactly. */
  assertWhole(t: Test): Promise<void>
  hasFile(id: string): Promise<boolean>
}

/** Gives a track a second of sound. */
async function putTone(t: Test, { media }: OpenApp['ports'], key: string, tags: object = {}): Promise<void> {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, ...tags })
  await media.put(key, createReadStream(path))
}

/** A station on air, with tracks of these ids, each by a different artist. */
async function openStation(t: Test, ids: string[], env: Record<string, string> = {}): Promise<Station> {
  const station = await openApp(t, { ...SUPER_ADMIN, NIGHT_MODE: 'false', ...env })
  const { ports } = station
  await Promise.all(ids.map((id) => station.addTrack(id, undefined, { ...LONG, artist: `Artist of ${id}` })))
  const byDay = await ports.data.tracks.find({ mode: 'day' })
  await Promise.all(
    byDay.map(({ artist }) =>
      ports.data.artists.put({ artist: artistKey(artist), hasArt: false, artFileName: '' }),
    ),
  )
  await startJobs(t, ports)
  const air = await startAir(t, ports)
  const locked = () => {
    const { onAir } = air.state
    if (onAir.phase !== 'track') throw new Error('nothing is on air')
    return { current: onAir.entry.track.id, next: shownQueue(air.state)[0]!.track.id }
  }
  const hasFile = async (id: string) => (await ports.media.stat(id)) !== null
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

// Some of them mostly wait.
t.jobs = 3

t.test(
  'a deleted track leaves library, storage, queue, groups and lyrics; its artist goes with the last day track',
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
    const artist = artistKey(track.artist)
    await ports.media.put(`arts/${artist}.jpg`, Buffer.from('image'))
    await ports.data.artists.put({ artist, hasArt: true, artFileName: `${artist}.jpg` })

    const queued = shownQueue(air.state).filter(({ track }) => track.id === id).length
    const { status, body } = await ask('DELETE /api/admin/song-editor', { songId: id })
    t.equal(status, 200)
    t.match(body, { ok: true, removedCurrent: false, removedArtists: [{ artist, hasArt: true }] })
    t.equal(body.removedFromQueue, queued)
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

t.test('a batch replies in request order, once per track, and skips locked or unknown ones', async (t) => {
  const station = await openStation(t, names(140))
  const { ask } = await asAdmin(station)
  const { current, next } = station.locked()
  const gone = station.free().slice(0, 120)
  const url = await station.app.listen({ port: 0, host: '127.0.0.1' })
  const listener = openSocket(t, url)
  await listener.first('sync')
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
  await listener.first('queue_updated')
  t.equal(listener.all('library_updated').length, 1, 'listeners are told once')
  t.equal((await ask('POST /api/admin/song-editor/batch-delete', { songIds: [] })).status, 400)
})

t.test('a moved track takes its file along; groups lose it, artists without image go', async (t) => {
  const station = await openStation(t, [...ODD.map((name) => `day/${name}`), ...names(20), 'night/000.mp3'])
  const { ports } = station
  const { ask } = await asAdmin(station)
  const songId = station.free().find((id) => ODD.includes(id.slice(4)))!
  const newId = songId.replace('day/', 'night/')
  const before = (await ports.data.tracks.get(songId))!
  const group = { id: 'g', name: 'G', nameKey: 'g', mode: 'day' as const, createdAt: 0, revision: 1 }
  await ports.data.groups.put({ ...group, songs: [songId] })

  const { status, body } = await ask('POST /api/admin/song-editor/move-mode', {
    songId,
    targetMode: 'night',
  })
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

t.test('concurrent changes of the same tracks by two admins leave one outcome', async (t) => {
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

t.test('a batch that is sent twice is done once', async (t) => {
  const station = await openStation(t, names(40), { DELETE_QUOTA_PER_DAY: '10' })
  const { ask } = await asAdmin(station, ['editor_meta'])
  const { audit } = station.ports.data
  const free = station.free()
  const batches = {
    delete_song: ['batch-delete', { songIds: free.slice(0, 5) }],
    edit_song_meta: ['batch-move', { songIds: free.slice(5, 10), targetMode: 'night' }],
  } as const
  for (const [operationType, [path, body]] of Object.entries(batches)) {
    const twice = await Promise.all([1, 2].map(() => ask(`POST /api/admin/song-editor/${path}`, body)))
    t.same(
      twice.map(({ status }) => status),
      [200, 200],
    )
    for (const songId of body.songIds) {
      const told = twice.map(({ body }) =>
        body.results.find((one: { songId: string }) => one.songId === songId),
      )
      t.match(
        told.toSorted((a, b) => Number(b.ok) - Number(a.ok)),
        [{ ok: true }, { ok: false, error: 'TRACK_NOT_FOUND' }],
        `${path} ${songId}`,
      )
    }
    t.equal((await audit.find({ operationType })).length, 5, `${path}: each once`)
  }
  const tooMany = { songIds: free.slice(10, 16) }
  t.match(
    await ask('POST /api/admin/song-editor/batch-delete', tooMany),
    { status: 429, body: { remaining: 5 } },
    'and counted once',
  )
  await station.assertWhole(t)
})

t.test('the daily quota counts deletions, refuses whole batches, and exempts the super admin', async (t) => {
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
})

t.test('uploads are deleted and moved by their uploader, within a day, and while they wait', async (t) => {
  const station = await openStation(t, names(20), { DELETE_QUOTA_PER_DAY: '1' })
  const { ports } = station
  const { ask } = await asAdmin(station, ['upload_songs'])
  const own = { addedBy: 'helper with upload_songs', addedAt: ports.clock.nowMs() }
  await station.addTrack('day/own 1.mp3')
  await station.addTrack('night/own 2.mp3')
  await station.addTrack('day/old.mp3')
  await ports.data.tracks.update({ id: 'day/own 1.mp3' }, own)
  await ports.data.tracks.update({ id: 'night/own 2.mp3' }, own)
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
    songIds: ['night/waiting.mp3', 'night/own 1.mp3', 'night/own 2.mp3', 'day/old.mp3'],
  })
  t.same(deleted.body.results, [
    { songId: 'night/waiting.mp3', ok: true },
    { songId: 'night/own 1.mp3', ok: true },
    { songId: 'night/own 2.mp3', ok: true },
    { songId: 'day/old.mp3', ok: false, error: 'FORBIDDEN' },
  ])
  t.notOk(await ports.media.stat(stagedKey('night/waiting.mp3')))
  await station.assertWhole(t)
})

t.test('10 000 songs are listed from one serialisation, and a download has a safe file name', async (t) => {
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
})

t.test('a client disconnect does not interrupt a batch', async (t) => {
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
  await until('the batch is begun', async () => (await ports.redis.exists('solstice:changes:1')) === 1, 1)
  hangUp.abort()
  await t.rejects(asked)
  // Jobs on the same tracks run one at a time, so the first is done once this one is answered.
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
  const songIds = names(4)
  for (const id of songIds) await station.addTrack(id)
  const [batch, single, saved] = await Promise.all([
    ask('POST /api/admin/song-editor/batch-delete', { songIds: songIds.slice(0, 2) }),
    ask('POST /api/admin/song-editor/move-mode', { songId: songIds[2], targetMode: 'night' }),
    ask('POST /api/admin/song-editor/save', { songId: songIds[3], metadata: {} }),
  ])
  for (const answer of [batch, single, saved])
    t.match(answer, { status: 503, body: { error: { code: 'AIR_UNAVAILABLE' } } })
  t.equal((await ports.data.tracks.find()).length, 4)
  t.same(await ports.media.list('night'), [])
})

t.test('saving changes what the flags select in file, library, lyrics, artists and queue', async (t) => {
  const station = await openStation(t, names(12))
  const { ports, air } = station
  const { data, media, tags } = ports
  const { ask } = await asAdmin(station)
  const save = (body: object) => ask('POST /api/admin/song-editor/save', body)
  const [songId, twin] = station.free() as [string, string]
  await putTone(t, ports, songId, { title: 'Old', artist: 'Somebody' })
  const before = (await data.tracks.get(songId))!
  const { title, artist, album, year } = before
  const oldKey = lyricsKey(artist, title)
  await data.lyrics.put({ key: oldKey, synced: false, lines: [{ time: 0, text: 'la' }] })
  await data.offsets.put({ key: oldKey, offset: 1.5 })

  const unchanged = await save({
    songId,
    metadata: { title: ` ${title} `, artist, album, year },
    metadataChanged: true,
  })
  t.match(unchanged, {
    status: 200,
    body: { ok: true, track: before, offset: 1.5, message: { en: 'Nothing has changed' } },
  })
  t.equal((await data.audit.find()).length, 0)

  const metadata = { title: 'Нова / "назва"', artist: 'Інша', album: 'Альбом', year: '1999' }
  const saved = await save({ songId, metadata, metadataChanged: true })
  const after = { ...metadata, year: 1999 }
  t.match(saved, {
    status: 200,
    body: { track: { id: songId, ...after }, entry: { lines: [{ text: 'la' }] }, offset: 1.5 },
  })
  t.notOk('addedBy' in saved.body.track)
  t.match(await tags.read(await media.source(songId)), after)
  t.equal(await data.lyrics.get(oldKey), null)
  t.equal((await data.offsets.get(lyricsKey('Інша', 'Нова / "назва"')))?.offset, 1.5)
  t.notOk((await data.artists.find()).some((record) => record.artist === artistKey(artist)))
  t.ok(await data.artists.get('інша'))
  t.match(await data.audit.find(), [
    {
      operationType: 'edit_song_meta',
      data: {
        title: after.title,
        artist: 'Інша',
        details: {
          changes: [
            { field: 'title', before: title, after: after.title },
            { field: 'artist' },
            { field: 'album' },
            { field: 'year', before: null, after: 1999 },
          ],
        },
      },
    },
  ])
  await air.until((state) =>
    shownQueue(state).some(({ track }) => track.id === songId && track.title === after.title),
  )

  await data.tracks.update({ id: twin }, { title: 'Double', artist: 'Інша' })
  await putTone(t, ports, twin)
  await data.lyrics.put({
    key: lyricsKey('Інша', 'Double'),
    synced: false,
    lines: [{ time: 0, text: 'lo' }],
  })
  const shared = await save({
    songId,
    metadata: { title: 'Double', artist: 'Інша' },
    metadataChanged: true,
  })
  t.match(
    shared.body,
    { track: { album: 'Альбом', year: 1999 }, entry: { lines: [{ text: 'lo' }] }, offset: 1.5 },
    'existing data stays',
  )
  const apart = await save({
    songId,
    metadata: { title: 'Apart', artist: 'Інша', year: 'soon' },
    metadataChanged: true,
  })
  t.match(apart.body, { track: { title: 'Apart', year: null }, entry: { lines: [{ text: 'lo' }] } })
  t.ok(await data.lyrics.get(lyricsKey('Інша', 'Double')), 'the other track keeps its lyrics')

  const lyricsEntry = {
    synced: true,
    lines: [
      { time: 1.234, text: 'now' },
      { time: 0.5, text: 'first' },
    ],
  }
  const edit = {
    songId,
    metadata: {},
    lyricsEntry,
    lyricsChanged: true,
    offset: -0.126,
    offsetChanged: true,
  }
  const helper = await asAdmin(station, ['editor_lyrics'])
  const context = { auditContext: { source: 'batch', force: true, more: 'x'.repeat(10_000) } }
  const listener = openSocket(t, await station.app.listen({ port: 0, host: '127.0.0.1' }))
  await listener.first('sync')
  const edited = await helper.ask('POST /api/admin/song-editor/save', { ...edit, ...context })
  t.match(edited, {
    status: 200,
    body: {
      entry: { synced: true, lines: [{ time: 0.5 }, { time: 1.23 }] },
      offset: -0.13,
      message: { en: 'The changes are saved' },
    },
  })
  t.match((await data.audit.find({ operationType: 'edit_song_lyrics' })).at(-1), {
    adminId: 'helper with editor_lyrics',
    data: {
      details: {
        changes: [
          { field: 'lyricsStatus', before: 'plain', after: 'synced' },
          { field: 'offset', before: 1.5, after: -0.13 },
        ],
        info: { source: 'batch', force: true, more: undefined },
      },
    },
  })
  await listener.first('library_updated')
  t.equal((await save({ songId, metadata: {}, offset: 0.0004, offsetChanged: true })).body.offset, 0)
  t.equal(await data.offsets.get(lyricsKey('Інша', 'Apart')), null)

  const nobody = await asAdmin(station, ['stats'])
  const { current, next } = station.locked()
  const refusals: [object, Ask, number, object][] = [
    [{ metadata: {} }, ask, 400, { field: 'songId', reason: 'missing' }],
    [{ songId }, ask, 400, { field: 'metadata', reason: 'missing' }],
    [
      { songId, metadata: { title: ' ', artist: 'x' }, metadataChanged: true },
      ask,
      400,
      { field: 'metadata.title' },
    ],
    [{ songId, metadata: {}, lyricsChanged: true }, ask, 400, { field: 'lyricsEntry' }],
    [{ songId, metadata: {}, offsetChanged: true }, ask, 400, { field: 'offset' }],
    [{ metadataChanged: true }, helper.ask, 403, { code: 'FORBIDDEN' }],
    [
      { songId: current, metadata: {}, offsetChanged: true, offset: 1 },
      nobody.ask,
      403,
      { code: 'FORBIDDEN' },
    ],
    [{ songId: 'day/none.mp3', metadata: {} }, ask, 404, { code: 'TRACK_NOT_FOUND' }],
    [{ songId: current, metadata: {} }, ask, 409, { code: 'TRACK_LOCKED', reason: 'current' }],
    [
      { songId: next, metadata, metadataChanged: true },
      ask,
      409,
      { reason: 'next', localized: { uk: String } },
    ],
  ]
  for (const [body, as, status, error] of refusals)
    t.match(
      await as('POST /api/admin/song-editor/save', body),
      { status, body: { error } },
      JSON.stringify(body),
    )

  await media.put(twin, Buffer.from('this is no MP3'))
  const spoilt = await save({ songId: twin, metadata, metadataChanged: true })
  t.match(spoilt, { status: 400, body: { error: { code: 'STORAGE_WRITE_FAILED', reason: 'tags' } } })
  t.equal((await data.tracks.get(twin))?.title, 'Double')
  await station.assertWhole(t)
})

t.test('concurrent edits of a track by two admins leave file and record in agreement', async (t) => {
  const station = await openStation(t, names(12))
  const { ports } = station
  const { ask } = await asAdmin(station)
  const [songId] = station.free() as [string]
  await putTone(t, ports, songId)
  const save = (i: number) => {
    const metadata = { title: `Title ${i}`, artist: `Artist ${i}`, album: `Album ${i}`, year: 2000 + i }
    return ask('POST /api/admin/song-editor/save', { songId, metadata, metadataChanged: true })
  }
  // The move may run before all the others.
  await save(6)
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, (_, i) => save(i)),
    ask('POST /api/admin/song-editor/move-mode', { songId, targetMode: 'night' }),
  ])
  t.notOk(answers.some(({ status }) => status !== 200 && status !== 404))
  const [record] = await ports.data.tracks.find({ mode: 'night' })
  const { title, artist, album, year } = record!
  t.match(await ports.tags.read(await ports.media.source(record!.id)), { title, artist, album, year })
  await station.assertWhole(t)
})

t.test('a failed store write leaves no file without a record', async (t) => {
  const station = await openStation(t, names(20))
  const { ports } = station
  const deps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
  const actor = { adminId: 'super', login: 'admin' }
  let notes: unknown
  const attempt = (jobId: string) => ({
    jobId,
    stopping: new AbortController().signal,
    notes,
    keep: async (_: number, __: number, kept: unknown) => {
      notes = structuredClone(kept)
    },
  })
  const [moved, deleted] = station.free()
  const move = { songIds: [moved!], targetMode: 'night' as const, scope: 'library' as const, actor }
  const unblockTracks = await refuseChanges(ports, 'tracks')
  await t.rejects(moveTracks(deps, move, attempt('1')))
  t.notOk(await station.hasFile(moved!.replace('day', 'night')), 'the copy is gone')
  await unblockTracks()
  await station.assertWhole(t)
  t.match(await moveTracks(deps, move, attempt('1')), { results: [{ ok: true }] })
  await station.assertWhole(t)
  t.equal((await ports.data.audit.find({ operationType: 'edit_song_meta' })).length, 1)

  notes = undefined
  const song = (await ports.data.tracks.get(deleted!))!
  await ports.data.lyrics.put({ key: lyricsKey(song.artist, song.title), synced: false, lines: [] })
  const unblockLyrics = await refuseChanges(ports, 'lyrics')
  const deletion = { songIds: [deleted!], scope: 'library' as const, actor }
  await t.rejects(deleteTracks(deps, deletion, attempt('2')))
  await station.assertWhole(t)
  await unblockLyrics()
  t.match(await deleteTracks(deps, deletion, attempt('2')), { results: [{ ok: true }] })
  t.equal(await ports.data.lyrics.get(lyricsKey(song.artist, song.title)), null)
  t.equal((await ports.data.audit.find({ operationType: 'delete_song' })).length, 1)
})

t.test('leftovers of killed edits are purged from the temporary folder, files in use are not', async (t) => {
  const [old, recent] = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'solstice-edit-'))))
  t.teardown(() => rmdir(recent!))
  await utimes(old!, 1000, 1000)
  t.equal(await purgeWorkingCopies(1_001_000), 1)
  await t.rejects(stat(old!))
  t.ok(await stat(recent!))
})
