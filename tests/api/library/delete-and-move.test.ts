import type { Track } from '@solstice/contracts'
import { shownQueue } from '@solstice/playout'
import { artistKey, lyricsKey, stagedKey } from '@solstice/station'
import t from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'
import { names, openStation } from './editor-station.ts'

useStores('sql+cloud')

// Some of them mostly wait.
t.jobs = 3

const ODD = ['Жінка + дитина & 100%.mp3', 'a b  c#d.mp3', "l'été (1) [x];.mp3"]

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
  const quotaOf = async ({ ask }: typeof helper) =>
    (await ask('GET /api/admin/song-editor/delete-quota')).body.quota

  t.same(await quotaOf(boss), null)
  t.match(await remove(free.slice(0, 6)), { status: 429, body: { remaining: 5, limit: 5 } })
  t.equal((await remove([current, 'day/unknown.mp3', ...free.slice(0, 2)])).status, 200)
  t.match(await remove(free.slice(2, 6)), {
    status: 429,
    body: { error: { code: 'DELETE_QUOTA_EXCEEDED' }, remaining: 3 },
  })
  t.same(await quotaOf(helper), { remaining: 3, limit: 5 })
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
