import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Route, uploads } from '@solstice/contracts'
import { cleanFilename, purgeStaged } from '@solstice/station'
import t, { type Test } from 'tap'
import { Value } from 'typebox/value'
import { decode, makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import { openSocket } from '../../../../../tests/harness/people/socket-client.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { refuseChanges } from '../../../../../tests/harness/stations/refuse-changes.ts'
import { inTime, until } from '../../../../../tests/harness/until.ts'

const run = promisify(execFile)
const FILE = 'POST /api/admin/upload-song-file'
const COMMIT = 'POST /api/admin/upload-song-commit'
const CHECK = 'POST /api/admin/upload-check-duplicate'

const sounds = await temporaryFolder(t)
const tonePath = join(sounds, 'tone.mp3')
await makeTone(tonePath, { hz: 440, seconds: 1, title: 'Тиша', artist: 'Hilda', album: 'Shores' })
const tone = await readFile(tonePath)

/** For what is about files in a folder. */
const LOCAL = { MEDIA_STORAGE: 'local' }

async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ...SUPER_ADMIN, ...env })
  const { ask, token } = await asAdmin(station)
  const media = join(station.folder, 'media')
  return {
    ...station,
    ask,
    token,
    media,
    upload: (name: string, bytes: Uint8Array = tone, query = '', as = ask) =>
      as(`${FILE}${query}`, bytes, { 'content-type': 'audio/mpeg', 'x-file-name': encodeURIComponent(name) }),
    commit: (metadata: object, lyricsEntry?: object) =>
      ask(COMMIT, { metadata, ...(lyricsEntry && { lyricsEntry }) }),
    /** All files below the media folder; of a bucket, all tracks and uploads under the names they would have there. */
    async files(): Promise<string[]> {
      const folders = ['.staged/day', '.staged/night', 'day', 'night']
      if (station.ports.config.bucket)
        return (await Promise.all(folders.map(station.ports.media.list)))
          .flat()
          .map((key) => key.replace(/^(day|night)/, 'music/$1'))
      const entries = await readdir(media, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(media.length + 1))
        .sort()
    },
  }
}

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
  const refused: [string, Promise<{ status: number; body: { error: object } }>, number, object][] = [
    ['no MP3', upload('a.mp3', Buffer.from('hello')), 400, { field: 'body', reason: 'not_mp3' }],
    ['nothing', upload('a.mp3', Buffer.alloc(0)), 400, { field: 'body', reason: 'empty_body' }],
    ['no such mode', upload('a.mp3', tone, '?mode=noon'), 400, { field: 'mode' }],
    ['no name', ask(FILE, tone, { 'content-type': 'audio/mpeg' }), 400, { code: 'BAD_REQUEST' }],
    [
      'another type',
      ask(FILE, tone, { 'x-file-name': 'a.mp3', 'content-type': 'audio/ogg' }),
      400,
      { field: 'content-type', reason: 'not_mp3' },
    ],
    ['no right', upload('a.mp3', tone, '', helper.ask), 403, { code: 'FORBIDDEN' }],
    ['no id', ask(CHECK, {}), 400, { field: 'trackId', reason: 'missing' }],
    ['an id of no mode', ask(CHECK, { trackId: 'noon/a.mp3' }), 400, { field: 'trackId' }],
    ['no file name', commit({ mode: 'day' }), 400, { field: 'metadata.filename', reason: 'missing' }],
    ['no mode', commit({ filename: 'a.mp3' }), 400, { field: 'metadata.mode', reason: 'missing' }],
    ['a wrong mode', commit({ filename: 'a.mp3', mode: 'noon' }), 400, { field: 'metadata.mode' }],
    [
      'nothing waits',
      commit({ filename: 'a.mp3', mode: 'day' }),
      400,
      { field: 'metadata.filename', reason: 'not_uploaded' },
    ],
  ]
  for (const [name, asked, status, error] of refused) {
    const answer = await asked
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

const hostileNames = [
  '../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '....//....//x.mp3',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f%2e%2e%2fx',
  '%252e%252e%252fx',
  '..%c0%afx',
  '..%5c..%5cx',
  '/etc/passwd',
  '/',
  '\\',
  '//',
  '.',
  '..',
  '...',
  '. . .',
  ' ',
  '   .mp3',
  '.mp3',
  '..mp3',
  '.hidden.mp3',
  '.staged',
  '~/.ssh/id_rsa',
  'C:\\boot.ini',
  'C:x.mp3',
  'file:///etc/passwd',
  'a\0.mp3',
  '\0',
  'a.mp3\0.jpg',
  'a\r\nX-Evil: 1',
  'a\tb',
  '\x1b[31mred',
  '\x7f',
  '\x85\x9f',
  'CON',
  'NUL.mp3',
  'COM1.mp3',
  'aux. ',
  'a.mp3:stream',
  '<script>alert(1)</script>',
  '"quoted".mp3',
  'a|b;c&d`e`$(f).mp3',
  '*?.mp3',
  '-rf.mp3',
  '--help',
  '\u202e3pm.exe',
  '\u2066a\u2069.mp3',
  'a\u200bb\u200f\ufeff.mp3',
  'e\u200b\u0301.mp3',
  'e\u0301.mp3',
  '\ufffd.mp3',
  '\ud800.mp3',
  'a\u2028b\u2029c',
  '\u00a0\u3000nbsp\u3000',
  'é'.repeat(150),
  '😀'.repeat(80),
  'x'.repeat(500),
  `${'x'.repeat(199)}.mp3`,
  `${'.'.repeat(300)}mp3`,
  'ﬁ ÅÅ ㎏.mp3',
  'day/night/a.mp3',
  'index.html',
  'ÄÖ.Mp3',
  '%',
  '%zz',
  '%u202e',
]

t.test('no name leads out of the folder, and a clean name stays unchanged', async (t) => {
  for (const name of hostileNames) {
    const clean = cleanFilename(name)
    t.equal(cleanFilename(clean), clean, `cleaning ${JSON.stringify(clean)} again changes nothing`)
    t.match(clean, /^[^./\\ ][^/\\]*\.mp3$/i)
    t.notMatch(clean, /[<>:"|?*\p{Cc}\p{Cs}\ufffd\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u)
    t.ok(Buffer.byteLength(clean) <= 200 && clean === clean.normalize('NFC'))
  }
  const { app, token, media, files, folder, commit } = await openStation(t, LOCAL)
  const headersOf = (name: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'audio/mpeg',
    'x-file-name': name,
  })
  const outside = await readdir(folder)
  const given = new Set<string>()
  for (const name of hostileNames) {
    // Halves of characters cannot be encoded; a client sends what stands for them.
    const encoded = encodeURIComponent(Buffer.from(name).toString())
    const asItIs = /^[\x20-\x7e]*%[\x20-\x7e]*$/.test(name) ? [name] : []
    for (const header of [encoded, ...asItIs]) {
      const url = '/api/admin/upload-song-file'
      const answer = await app.inject({ method: 'POST', url, headers: headersOf(header), payload: tone })
      if (answer.statusCode === 400) continue
      t.equal(answer.statusCode, 200, header)
      const { filename, storageKey } = answer.json().metadata
      t.equal(storageKey, `day/${filename}`)
      given.add(filename)
    }
  }
  t.same(
    await files(),
    [...given].map((name) => `.staged/day/${name}`).sort(),
    'every file is where its name says, and no other is there',
  )
  t.same(await readdir(folder), outside)
  t.same(await readdir(media), ['.staged'])
  t.ok(given.size > 30)
  t.equal(
    (await commit({ filename: '../../../x/C:\\boot.ini', mode: 'day' })).body.track.id,
    'day/boot.ini.mp3',
  )
  t.equal((await commit({ filename: '../.staged/day/boot.ini', mode: 'day' })).status, 409)
})

t.test('disguised files are refused, or measured by their audible content', async (t) => {
  const { upload, files } = await openStation(t)
  const convert = async (name: string, ...options: string[]) => {
    const path = join(sounds, name)
    const source = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2']
    await run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...source, ...options, path])
    return readFile(path)
  }
  const mp3 = await convert('two.mp3', '-ac', '2', '-b:a', '128k')
  const lying = Buffer.from(mp3)
  const xing = lying.indexOf('Info') >= 0 ? lying.indexOf('Info') : lying.indexOf('Xing')
  lying.writeUInt32BE(10_000_000, xing + 8)
  const id3 = (size: number) =>
    Buffer.from([
      0x49,
      0x44,
      0x33,
      4,
      0,
      0,
      (size >> 21) & 127,
      (size >> 14) & 127,
      (size >> 7) & 127,
      size & 127,
    ])
  const flipped = Buffer.from(mp3)
  for (let at = 3_000; at < flipped.length; at += 997) flipped[at] = flipped[at]! ^ 0xff
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7_919 + (i >> 3) * 104_729) & 0xff))
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), noise, Buffer.from([0xff, 0xd9])])
  const corpus: Record<string, Uint8Array> = {
    'one byte': Buffer.from([0xff]),
    'two bytes of a frame': Buffer.from([0xff, 0xfb]),
    zeros: Buffer.alloc(100_000),
    ones: Buffer.alloc(100_000, 0xff),
    'headers without frames': Buffer.alloc(100_000, Buffer.from([0xff, 0xfb, 0x90, 0x44])),
    noise,
    'a picture': jpeg,
    'a picture after a tag': Buffer.concat([id3(0), jpeg]),
    'a page': Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(500)),
    'a script': Buffer.from('#!/bin/sh\nrm -rf /\n'.repeat(1_000)),
    'a tag alone': Buffer.concat([id3(1_000), Buffer.alloc(1_000)]),
    'a tag that is longer than its file': Buffer.concat([id3(200_000_000), mp3]),
    'a tag of nine MB': Buffer.concat([id3(9_000_000), Buffer.alloc(9_000_000), mp3]),
    'many tags': Buffer.concat([...Array(200).fill(id3(0)), mp3]),
    wav: await convert('two.wav'),
    flac: await convert('two.flac'),
    'another container': await convert('two.m4a'),
    'another codec': await convert('two.mp2', '-c:a', 'mp2'),
    whole: mp3,
    'cut short': mp3.subarray(0, mp3.length / 2),
    'cut within the first frame': mp3.subarray(0, 300),
    'without its beginning': mp3.subarray(777),
    'with junk before': Buffer.concat([Buffer.alloc(3_000, 0xaa), mp3]),
    'with junk after': Buffer.concat([mp3, noise.subarray(0, 9_000)]),
    'flipped bytes': flipped,
    'saying that it lasts for days': lying,
    'two rates in one': Buffer.concat([mp3, await convert('low.mp3', '-ar', '22050', '-b:a', '64k')]),
    'very slow': await convert('slow.mp3', '-ar', '8000', '-ac', '1', '-b:a', '8k'),
  }
  const accepted: string[] = []
  for (const [name, bytes] of Object.entries(corpus)) {
    const { status, body } = await upload(`${name}.mp3`, bytes)
    if (status === 400) {
      t.match(body.error, { code: 'BAD_REQUEST', reason: 'not_mp3' }, name)
      continue
    }
    t.equal(status, 200, name)
    accepted.push(name)
    const heardS = (await decode(bytes)).length / 44_100
    const { duration } = body.metadata
    t.ok(Math.abs(duration - heardS) < 0.3, `${name}: ${duration} s said, ${heardS} s heard`)
  }
  for (const name of ['whole', 'cut short', 'with junk before', 'with junk after', 'very slow'])
    t.ok(accepted.includes(name), `${name}: taken`)
  for (const name of [
    'zeros',
    'noise',
    'a picture',
    'a picture after a tag',
    'a page',
    'wav',
    'flac',
    'a tag alone',
  ])
    t.notOk(accepted.includes(name), `${name}: refused`)
  t.equal((await files()).length, accepted.length, 'of what was refused nothing is left')
})
