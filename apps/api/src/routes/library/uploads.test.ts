import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Route, uploads } from '@solstice/contracts'
import { purgeStaged } from '@solstice/station'
import t, { type Test } from 'tap'
import { Value } from 'typebox/value'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { asAdmin } from '../../../../../tests/harness/people/admin.ts'
import { openSocket } from '../../../../../tests/harness/people/socket-client.ts'
import { FILE, LOCAL, openStation, sounds, tone } from '../../../../../tests/harness/people/upload-station.ts'
import { beginUpload, uploadTrack } from '../../../../../tests/harness/people/uploads.ts'
import { refuseChanges } from '../../../../../tests/harness/stations/refuse-changes.ts'
import { inTime, until } from '../../../../../tests/harness/until.ts'

const CHECK = 'POST /api/admin/upload-check-duplicate'

function isOf(t: Test, route: Route, body: unknown): void {
  t.ok(Value.Check(route.reply as never, body), `as the contract says: ${JSON.stringify(body)}`)
}

t.test('a file stays staged, off the air, until its commit makes it a track', async (t) => {
  const { app, ports, ask, upload, commit, files } = await openStation(t)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const listener = openSocket(t, address)
  await listener.first('sync')
  const name = 'Гільда – “Тиша”?.mp3'
  const filename = 'Гільда – “Тиша”_.mp3'
  const id = `day/${filename}`

  t.same((await ask(CHECK, { trackId: `day/${name}` })).body, { ok: true, exists: false })
  const sent = await upload(name)
  t.equal(sent.status, 200)
  isOf(t, uploads.uploadTrackFile, sent.body)
  t.match(sent.body, {
    storageKey: id,
    metadata: { artist: 'Hilda', title: 'Тиша', album: 'Shores', year: null, mode: 'day', filename },
  })
  t.ok(Math.abs(sent.body.metadata.duration - 1) < 0.05, 'the length is measured')
  t.same(await files(), [`.staged/${id}`])
  t.same(await ports.data.tracks.find(), [])

  const lyrics = { synced: true, lines: ['[00:00.50] тихо', { time: 0.1, text: ' ще ' }] }
  const done = await commit({ ...sent.body.metadata, title: ' Тиша ніч ', year: '1999', duration: 7 }, lyrics)
  t.equal(done.status, 200)
  isOf(t, uploads.commitTrack, done.body)
  const track = { ...sent.body.metadata, id, title: 'Тиша ніч', year: 1999 }
  t.match(done.body, { track, lyricsStatus: 'synced', lyricsFormat: 'synced' })
  t.same(await files(), [`music/${id}`])
  t.match(await ports.data.tracks.find(), [{ ...track, addedBy: 'super', addedAt: Number }])
  t.match(await ports.data.lyrics.find(), [{ lines: [{ text: 'ще' }, { text: 'тихо' }] }])
  t.match(await ports.data.artists.find(), [{ artist: 'hilda', hasArt: false }])
  t.match(await ports.data.audit.find(), [
    { operationType: 'upload_song', data: { title: 'Тиша ніч', artist: 'Hilda', mode: 'day' } },
  ])
  await listener.first('library_updated')
  t.match(JSON.stringify(await ports.redis.xrange('solstice:commands', '-', '+')), 'library-changed')

  t.equal((await commit(sent.body.metadata)).status, 409, 'once')
  t.match((await upload(name)).body.error, { code: 'FILENAME_EXISTS' })
  t.same((await ask(CHECK, { trackId: `day/${name}` })).body, { ok: true, exists: true })
  t.same((await ask(CHECK, { trackId: `night/${name}` })).body, { ok: true, exists: false })

  const night = await upload(name, tone, '?mode=night')
  t.equal(night.status, 200, 'the other mode has names of its own')
  const bare = await commit({
    filename: name,
    mode: 'night',
    artist: 'Nobody by day',
    title: ' ',
    year: 'soon',
  })
  t.match(bare.body, { track: { title: 'Тиша', artist: 'Nobody by day', album: 'Shores', year: null } })
  t.match(bare.body, { lyricsStatus: 'none', lyricsFormat: null })
  t.equal((await ports.data.artists.find()).length, 1, 'an artist of the night has no record')
})

t.test("missing metadata comes from the file's tags, then from its name", async (t) => {
  const { upload, commit } = await openStation(t)
  const bare = join(sounds, 'bare.mp3')
  await makeTone(bare, { hz: 440, seconds: 1 })
  const sent = await upload('No tags.MP3', await readFile(bare))
  const facts = { artist: 'Unknown Artist', title: 'No tags', album: '', year: null, filename: 'No tags.MP3' }
  t.match(sent.body.metadata, facts)
  const { body } = await commit({ filename: 'No tags.MP3', mode: 'day' })
  t.match(body.track, { id: 'day/No tags.MP3', ...facts })
})

t.test('a refused upload leaves nothing behind', async (t) => {
  const station = await openStation(t)
  const { ask, upload, commit, files, ports, media } = station
  const helper = await asAdmin(station, ['editor_meta'])
  const refused: [string, () => Promise<{ status: number; body: { error: object } }>, number, object][] = [
    ['no MP3', () => upload('a.mp3', Buffer.from('hello')), 400, { field: 'body', reason: 'not_mp3' }],
    ['nothing', () => upload('a.mp3', Buffer.alloc(0)), 400, { field: 'body', reason: 'empty_body' }],
    ['no such mode', () => upload('a.mp3', tone, '?mode=noon'), 400, { field: 'mode' }],
    ['no name', () => ask(FILE, tone, { 'content-type': 'audio/mpeg' }), 400, { code: 'BAD_REQUEST' }],
    [
      'another type',
      () => ask(FILE, tone, { 'x-file-name': 'a.mp3', 'content-type': 'audio/ogg' }),
      400,
      { field: 'content-type', reason: 'not_mp3' },
    ],
    ['no right', () => upload('a.mp3', tone, '', helper.ask), 403, { code: 'FORBIDDEN' }],
    ['no id', () => ask(CHECK, {}), 400, { field: 'trackId', reason: 'missing' }],
    ['an id of no mode', () => ask(CHECK, { trackId: 'noon/a.mp3' }), 400, { field: 'trackId' }],
    ['no file name', () => commit({ mode: 'day' }), 400, { field: 'metadata.filename', reason: 'missing' }],
    ['no mode', () => commit({ filename: 'a.mp3' }), 400, { field: 'metadata.mode', reason: 'missing' }],
    ['a wrong mode', () => commit({ filename: 'a.mp3', mode: 'noon' }), 400, { field: 'metadata.mode' }],
    [
      'nothing waits',
      () => commit({ filename: 'a.mp3', mode: 'day' }),
      400,
      { field: 'metadata.filename', reason: 'not_uploaded' },
    ],
  ]
  for (const [name, send, status, error] of refused) {
    const answer = await send()
    t.equal(answer.status, status, name)
    t.match(answer.body.error, error, name)
  }
  t.same(await files(), [])

  t.test('a staged file is replaced by the next MP3 of its name, not by any other file', async (t) => {
    t.equal((await upload('a.mp3')).status, 200)
    t.equal((await upload('a.mp3', Buffer.from('hello'))).status, 400)
    const longer = join(sounds, 'longer.mp3')
    await makeTone(longer, { hz: 440, seconds: 2, title: 'Longer' })
    t.equal((await upload('a.mp3', await readFile(longer))).status, 200)
    t.same(await files(), ['.staged/day/a.mp3'])
    const { body } = await commit({ filename: 'a.mp3', mode: 'day' })
    t.equal(body.track.title, 'Longer')
  })

  t.test('two commits at once make one track', async (t) => {
    await upload('b.mp3')
    const answers = await Promise.all([1, 2, 3].map(() => commit({ filename: 'b.mp3', mode: 'day' })))
    t.same(answers.map(({ status }) => status).sort(), [200, 409, 409])
    t.ok((await files()).includes('music/day/b.mp3'))
  })

  t.test('a file on disk that is not a track yet is never overwritten', async (t) => {
    await ports.media.put('day/c.mp3', Buffer.from('mine'))
    await upload('c.mp3')
    t.equal((await commit({ filename: 'c.mp3', mode: 'day' })).status, 409)
    t.equal(await text(await ports.media.open('day/c.mp3')), 'mine')
    t.ok((await files()).includes('.staged/day/c.mp3'), 'the upload still waits')
  })

  t.test('when the record of a track cannot be stored, its file is staged again', async (t) => {
    await upload('d.mp3')
    const takeChanges = await refuseChanges(ports, 'tracks')
    const failed = await commit({ filename: 'd.mp3', mode: 'day' })
    t.equal(failed.status, 400)
    t.match(failed.body.error, { code: 'STORAGE_WRITE_FAILED' })
    t.notOk((await files()).includes('music/day/d.mp3'))
    await takeChanges()
    t.equal((await commit({ filename: 'd.mp3', mode: 'day' })).status, 200)
  })

  t.test('a file that cannot be written is refused, however much of it was sent', async (t) => {
    if (ports.config.bucket) return
    await writeFile(join(media, '.staged/night'), 'no folder')
    const failed = await upload('e.mp3', tone, '?mode=night')
    t.equal(failed.status, 400)
    t.match(failed.body.error, { code: 'STORAGE_WRITE_FAILED' })
  })
})

t.test('an aborted upload leaves nothing behind', async (t) => {
  const { app, token, files } = await openStation(t, LOCAL)
  const answered = new Promise<void>((resolve) => {
    app.server.on('request', (_, response) => response.once('close', () => resolve()))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(
    [
      'POST /api/admin/upload-song-file HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Content-Type: audio/mpeg',
      'X-File-Name: a.mp3',
      'Content-Length: 1000000',
      '',
      '',
    ].join('\r\n'),
  )
  socket.write(tone)
  await until('a file is begun', async () => (await files()).length > 0)
  t.match(await files(), [/^\.staged\/day\/\..*\.tmp$/], 'it is being written')
  socket.resetAndDestroy()
  await inTime('the end of the request', answered)
  await until('it is gone', async () => (await files()).length === 0)
  t.same(await files(), [])
})

t.test('an account has four uploads at once, and room when one of them has ended', async (t) => {
  const station = await openStation(t, LOCAL)
  const other = await asAdmin(station, ['upload_songs'])
  await station.app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(station.app.server.address() as { port: number }).port}`
  const begin = () => beginUpload(url, station.token, tone)
  const held = [await begin(), await begin(), await begin(), await begin()]
  const send = (token: string, name: string) => uploadTrack(url, token, name, tone, tone.length)
  const refused = await send(station.token, 'fifth.mp3')
  t.equal(refused.status, 429)
  t.match(JSON.parse(refused.body), { error: { code: 'RATE_LIMITED', retryAfterSecs: 5 } })
  t.equal((await send(other.token, 'of another.mp3')).status, 200)
  t.equal((await held[0]!.end()).statusCode, 200)
  t.equal((await send(station.token, 'next.mp3')).status, 200, 'one that ended left its place')
  held[1]!.abort()
  const inPlace = [held[2]!, held[3]!, await begin()]
  const isTaken = async () => (await send(station.token, 'after an aborted one.mp3')).status === 200
  await until('so does one whose sender is gone', isTaken)
  for (const upload of inPlace) t.equal((await upload.end()).statusCode, 200)
})

t.test('uncommitted uploads of every kind are deleted after a day', async (t) => {
  const { ports, upload, media, files } = await openStation(t, LOCAL)
  await upload('old.mp3')
  await upload('young.mp3')
  await mkdir(join(media, '.staged/phrases/night'), { recursive: true })
  await writeFile(join(media, '.staged/phrases/night/lost.mp3'), tone)
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  for (const name of ['day/old.mp3', 'phrases/night/lost.mp3'])
    await utimes(join(media, '.staged', name), longAgo, longAgo)
  t.equal(await purgeStaged(ports.media, Date.now() - 24 * 60 * 60 * 1000), 2)
  t.same(await files(), ['.staged/day/young.mp3'])
})
