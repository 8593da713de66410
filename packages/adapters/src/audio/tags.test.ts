import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { makeTone } from '../../../../tests/harness/audio/audio.ts'
import { tagBombs } from '../../../../tests/harness/audio/tag-bombs.ts'
import { apeTag, id3v1, id3v2, withComments } from '../../../../tests/harness/audio/tags.ts'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { longestTurnMs } from '../../../../tests/harness/processes/turns.ts'
import { audioTags } from './tags.ts'

const run = promisify(execFile)
const tags = audioTags()

const id3 = (frames: Record<string, string>) =>
  id3v2(
    4,
    Object.entries(frames).map(([id, value]) => [id, Buffer.from(`\x03${value}`)]),
    { padding: 0 },
  )

t.test('tags and measured length are read', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 2, title: 'Ранковий приплив', artist: 'Мавка & Co', album: 'Ніч' })
  const facts = await tags.read(path)
  t.match(facts, { title: 'Ранковий приплив', artist: 'Мавка & Co', album: 'Ніч', year: null })
  t.ok(Math.abs(facts.duration! - 2) < 0.1)
})

t.test('a file without tags has none', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  const options = ['-f', 'lavfi', '-i', 'sine=duration=1', '-map_metadata', '-1', '-fflags', '+bitexact']
  await run('ffmpeg', ['-loglevel', 'error', ...options, '-id3v2_version', '0', '-write_xing', '0', path])
  t.match(await tags.read(path), { title: null, artist: null, album: null, year: null })
})

t.test('the length is measured over the whole file, whatever its headers claim', async (t) => {
  const folder = await temporaryFolder(t)
  const encode = async (name: string, source: string, ...options: string[]) => {
    const path = join(folder, `${name}.mp3`)
    await run('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', source, ...options, path])
    return path
  }
  const is = (seconds: number | null, wanted: number, what: string, tolerance = 0.08) =>
    t.ok(seconds !== null && Math.abs(seconds - wanted) < tolerance, `${what}: ${seconds} s`)
  const length = async (path: string) => (await tags.read(path)).duration

  const tone = 'sine=frequency=440:duration=4'
  t.equal(await length(await encode('exact', tone, '-b:a', '128k')), 4, 'without what the encoder added')
  is(await length(await encode('plain', tone, '-write_xing', '0')), 4, 'constant bit rate, no header')
  is(await length(await encode('low', tone, '-ar', '22050', '-b:a', '32k')), 4, 'MPEG-2')
  is(await length(await encode('lowest', tone, '-ar', '8000', '-b:a', '8k')), 4, 'MPEG-2.5')
  const growing = 'aevalsrc=if(gt(t\\,6)\\,random(0)-0.5\\,0):duration=12:sample_rate=44100'
  is(await length(await encode('variable', growing, '-q:a', '4', '-write_xing', '0')), 12, 'quiet, then loud')

  const whole = await readFile(await encode('whole', tone, '-b:a', '128k'))
  const variant = async (name: string, ...parts: Buffer[]) => {
    const path = join(folder, `${name}.mp3`)
    await writeFile(path, Buffer.concat(parts))
    return length(path)
  }
  is(await variant('cut', whole.subarray(0, whole.length / 2)), 2, 'cut short')
  is(await variant('tail', whole, Buffer.from(`TAG${' '.repeat(125)}`)), 4, 'with an ID3v1 tag')
  is(
    await variant('hole', whole.subarray(0, 20_000), Buffer.alloc(5000, 0xff), whole.subarray(20_000)),
    4,
    'with a hole',
  )
  is(
    await variant('large', id3({ TXXX: 'x'.repeat(600_000) }), id3({ TIT2: 'a' }), whole),
    4,
    'behind large tags',
  )
  is(await variant('twice', whole, await readFile(join(folder, 'low.mp3'))), 8, 'of two sample rates', 0.2)
})

t.test('texts are in NFC, on one line, trimmed and bounded; years are numbers', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = join(folder, 'tone.mp3')
  await makeTone(tone, { hz: 440, seconds: 1 })
  const audio = await readFile(tone)
  const read = async (frames: Record<string, string>) => {
    const path = join(folder, 'tagged.mp3')
    await writeFile(path, Buffer.concat([id3(frames), audio]))
    return tags.read(path)
  }
  t.match(await read({ TIT2: '  Кии\u0306в \t', TPE1: 'a\r\nb', TALB: '\u202egnp.exe' }), {
    title: 'Ки\u0439в',
    artist: 'a b',
    album: 'gnp.exe',
  })
  t.match(await read({ TIT2: '   ', TPE1: '\u0001', TALB: '🌙'.repeat(5000) }), {
    title: null,
    artist: null,
    album: '🌙'.repeat(300),
  })
  t.equal((await read({ TDRC: '1998-05-01' })).year, 1998)
  for (const year of ['0', '-5', 'last year']) t.equal((await read({ TDRC: year })).year, null, year)
})

t.test('an MP3 is recognised by its frames, whatever its name', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=duration=3:sample_rate=44100']
  const encode = async (...options: string[]) => {
    const target = join(folder, 'encoded')
    await run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...noise, ...options, target])
    return readFile(target)
  }
  const isMpeg = async (bytes: Buffer) => {
    await writeFile(path, bytes)
    return (await tags.readMp3(path)) !== null
  }

  const mp3 = await encode('-f', 'mp3', '-b:a', '128k')
  const variable = await encode('-f', 'mp3', '-q:a', '4', '-write_xing', '0')
  const bare = await encode('-f', 'mp3', '-write_xing', '0', '-id3v2_version', '0')
  const ape = apeTag([
    ['Title', 'Ape'],
    ['Cover Art (Front)', 'x'.repeat(200_000)],
  ])
  const real: Record<string, Buffer> = {
    'with a Xing header': mp3,
    'of a variable bit rate that is said nowhere': variable,
    'of 320 kbit/s': await encode('-f', 'mp3', '-b:a', '320k'),
    'MPEG-2, mono': await encode('-f', 'mp3', '-ac', '1', '-ar', '22050', '-b:a', '32k'),
    'MPEG-2.5': await encode('-f', 'mp3', '-ar', '8000', '-b:a', '8k'),
    'without any tag': bare,
    'cut short': mp3.subarray(0, mp3.length / 3),
    'cut at its start, in the middle of a frame': bare.subarray(1000),
    'behind a large tag': Buffer.concat([id3({ TXXX: 'x'.repeat(3_000_000) }), bare]),
    'before a large APE tag': Buffer.concat([bare, ape]),
    'before ID3v1 behind APE': Buffer.concat([bare, ape, id3v1('Old')]),
    'with a hole': Buffer.concat([bare.subarray(0, 9_000), Buffer.alloc(5_000), bare.subarray(9_000)]),
  }
  for (const [what, bytes] of Object.entries(real)) t.equal(await isMpeg(bytes), true, what)

  const jpeg = await run(
    'ffmpeg',
    ['-loglevel', 'error', '-f', 'lavfi', '-i', 'testsrc=d=1', '-frames:v', '1', '-f', 'mjpeg', '-'],
    { encoding: 'buffer' },
  )
  const other: Record<string, Buffer> = {
    FLAC: await encode('-f', 'flac'),
    'FLAC behind an ID3v2 tag': Buffer.concat([id3({ TIT2: 'a' }), await encode('-f', 'flac')]),
    WAV: await encode('-f', 'wav'),
    'WAV with MP3 in it': await encode('-f', 'wav', '-c:a', 'libmp3lame'),
    'Matroska with MP3 in it': await encode('-f', 'matroska', '-c:a', 'libmp3lame'),
    'MP4 with MP3 in it': await encode('-f', 'mp4', '-c:a', 'libmp3lame'),
    AIFF: await encode('-f', 'aiff'),
    Ogg: await encode('-f', 'ogg', '-c:a', 'libvorbis'),
    ADTS: await encode('-f', 'adts', '-c:a', 'aac'),
    M4A: await encode('-f', 'ipod', '-c:a', 'aac'),
    'layer II': await encode('-f', 'mp2'),
    JPEG: jpeg.stdout,
    'JPEG behind an ID3v2 tag': Buffer.concat([id3({ TIT2: 'a' }), jpeg.stdout]),
    text: Buffer.from('hello '.repeat(20_000)),
    zeros: Buffer.alloc(300_000),
    'noise with a few frames in it': Buffer.concat([
      randomBytes(200_000),
      bare.subarray(0, 5_000),
      randomBytes(200_000),
    ]),
    'a tag and nothing behind it': id3({ TIT2: 'Title' }),
    nothing: Buffer.alloc(0),
  }
  for (const [what, bytes] of Object.entries(other)) t.equal(await isMpeg(bytes), false, what)
})

t.test('no tag blocks the event loop, and the sound behind it is measured', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 2, title: 'Behind' })
  const audio = await readFile(path)
  for (const [what, { before = Buffer.alloc(0), behind = Buffer.alloc(0) }] of Object.entries(tagBombs)) {
    await writeFile(path, Buffer.concat([before, audio, behind]))
    let duration: number | null = null
    const longestMs = await longestTurnMs(async () => {
      duration = (await tags.readMp3(path))?.duration ?? null
    })
    t.ok(longestMs < 200, `${what}: ${longestMs.toFixed()} ms`)
    t.ok(Math.abs(duration! - 2) < 0.1, `${what}: ${duration} s`)
  }
})

t.test('a track without an artist gets the album artist', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  const tonePath = join(folder, 'tone.mp3')
  await makeTone(tonePath, { hz: 440, seconds: 1 })
  const tone = await readFile(tonePath)
  const artistOf = async (...parts: Buffer[]) => {
    await writeFile(path, Buffer.concat(parts))
    return (await tags.readMp3(path))!.artist
  }
  t.equal(await artistOf(id3({ TPE2: 'Мавка' }), tone), 'Мавка')
  t.equal(await artistOf(id3({ TXXX: 'ARTISTS\0Мавка\0Лісовик' }), tone), 'Мавка & Лісовик')
  t.equal(await artistOf(tone, apeTag([['Album Artist', 'Мавка']])), 'Мавка')
  t.equal(await artistOf(id3({ TPE1: 'Лісовик', TPE2: 'Мавка' }), tone), 'Лісовик')
  t.equal(await artistOf(id3({ TPE2: 'Мавка', APIC: 'x'.repeat(500_000) }), tone), 'Мавка', 'with a picture')
  t.equal(
    await artistOf(id3({ TPE2: 'Мавка', TXXX: 'x'.repeat(64 * 1024) }), tone),
    null,
    'of what is too long for a parser nothing is parsed',
  )
})

t.test('the first of several artists counts; without any, the album artist', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  const source = ['-loglevel', 'error', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'flac']
  await run('ffmpeg', [...source, '-f', 'flac', path])
  const flac = await readFile(path)
  const read = async (comments: string[]) => {
    await writeFile(path, withComments(flac, comments))
    return tags.read(path)
  }
  t.match(await read(['TITLE=Ніч', 'ARTIST=Мавка', 'ARTIST=Лісовик']), { title: 'Ніч', artist: 'Мавка' })
  t.match(await read(['TITLE=Ніч', 'ALBUMARTIST=Мавка']), { title: 'Ніч', artist: 'Мавка' })
  let artists: string | null = ''
  const longestMs = await longestTurnMs(async () => {
    artists = (await read(Array.from({ length: 10_000 }, (_, i) => `ARTIST=n${i}`))).artist
  })
  t.match(artists, /^n0/, 'whoever it is that gets through them')
  t.ok(longestMs < 200, `${longestMs.toFixed()} ms`)
})

t.test('title, artist, album, year and length of other formats are read by ffmpeg', async (t) => {
  const folder = await temporaryFolder(t)
  const about = { title: 'Ніч = тиша; #1', artist: 'Мавка \\ Co', album: 'Зорі', date: '1998-05-01' }
  const metadata = Object.entries(about).flatMap(([name, value]) => ['-metadata', `${name}=${value}`])
  for (const [name, codec] of Object.entries({
    flac: 'flac',
    ogg: 'libvorbis',
    mp4: 'aac',
    matroska: 'flac',
  })) {
    const path = join(folder, `${name}.mp3`)
    const source = ['-loglevel', 'error', '-f', 'lavfi', '-i', 'sine=duration=2']
    await run('ffmpeg', [...source, '-c:a', codec, ...metadata, '-f', name, path])
    const { title, artist, album } = about
    t.match(await tags.read(path), { title, artist, album, year: 1998, duration: 2 }, name)
    t.equal(await tags.readMp3(path), null, `${name} is no MP3`)
  }
})

t.test('a file that is not audio throws', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  const garbage = {
    empty: Buffer.alloc(0),
    text: Buffer.from('hello '.repeat(2000)),
    zeros: Buffer.alloc(100_000),
    'a JPEG': Buffer.concat([
      Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
      Buffer.alloc(5000, 7),
    ]),
    'a tag alone': id3({ TIT2: 'Title' }),
    'a tag that claims 256 MB': Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'),
  }
  for (const [what, bytes] of Object.entries(garbage)) {
    await writeFile(path, bytes)
    await t.rejects(tags.read(path), what)
  }
  await t.rejects(tags.read(`${path}.none`), { code: 'ENOENT' })
})
