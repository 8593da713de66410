import { createReadStream } from 'node:fs'
import { mkdtemp, rmdir, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Privilege } from '@solstice/contracts'
import { shownQueue } from '@solstice/playout'
import {
  artistKey,
  createAudit,
  deleteTracks,
  lyricsKey,
  moveTracks,
  purgeWorkingCopies,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import { type Ask, asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { temporaryFolder } from '../../harness/processes/processes.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { names, openStation } from './editor-station.ts'

useStores('sql+cloud')

// Some of them mostly wait.
t.jobs = 3

/** Gives a track a second of sound. */
async function putTone(t: Test, { media }: OpenApp['ports'], key: string, tags: object = {}): Promise<void> {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, ...tags })
  await media.put(key, createReadStream(path))
}

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
