import { readdir } from 'node:fs/promises'
import { cleanFilename } from '@solstice/station'
import t from 'tap'
import { decode } from '../../../../../tests/harness/audio/audio.ts'
import { damagedFiles } from '../../../../../tests/harness/audio/damaged-files.ts'
import { LOCAL, openStation, sounds, tone } from '../../../../../tests/harness/people/upload-station.ts'

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
  const corpus = await damagedFiles(sounds)
  const accepted: string[] = []
  for (const [name, bytes] of Object.entries(corpus)) {
    const { status, body } = await upload(`${name}.mp3`, bytes)
    if (status === 400) {
      const reason = bytes.length > 0 ? 'not_mp3' : 'empty_body'
      t.match(body.error, { code: 'BAD_REQUEST', reason }, name)
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
