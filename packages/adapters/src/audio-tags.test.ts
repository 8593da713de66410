import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { link, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { makeTone } from '../../../tests/harness/audio.ts'
import { temporaryFolder } from '../../../tests/harness/processes.ts'
import { audioTags } from './audio-tags.ts'

const run = promisify(execFile)
const tags = audioTags()

/** An ID3v2.4 tag with text frames. */
function id3(frames: Record<string, string>): Buffer {
  const size = (n: number) => Buffer.from([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])
  const body = Buffer.concat(
    Object.entries(frames).map(([id, value]) => {
      const content = Buffer.concat([Buffer.from([3]), Buffer.from(value)])
      return Buffer.concat([Buffer.from(id), size(content.length), Buffer.from([0, 0]), content])
    }),
  )
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), size(body.length), body])
}

/** An APEv2 tag with header and footer. */
function apeTag(items: Record<string, string>): Buffer {
  const number = (n: number) => Buffer.from(Uint32Array.of(n).buffer)
  const fields = Object.entries(items).map(([key, value]) =>
    Buffer.concat([number(Buffer.byteLength(value)), number(0), Buffer.from(`${key}\0${value}`)]),
  )
  const body = Buffer.concat(fields)
  const edge = (flags: number) =>
    Buffer.concat([
      Buffer.from('APETAGEX'),
      ...[2000, body.length + 32, fields.length, flags, 0, 0].map(number),
    ])
  return Buffer.concat([edge(0xa0000000), body, edge(0x80000000)])
}

function id3v1(title: string): Buffer {
  return Buffer.concat([Buffer.from(`TAG${title}`, 'latin1'), Buffer.alloc(125)]).subarray(0, 128)
}

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

t.test('the length is measured over the whole file, whatever the file says', async (t) => {
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

t.test('texts come in NFC, on one line, trimmed and bounded; years are years', async (t) => {
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

t.test('an MP3 is known by its frames, whatever it is called', async (t) => {
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
    return tags.read(path).then(
      (facts) => facts.isMpeg,
      () => 'unreadable',
    )
  }

  const mp3 = await encode('-f', 'mp3', '-b:a', '128k')
  const variable = await encode('-f', 'mp3', '-q:a', '4', '-write_xing', '0')
  const bare = await encode('-f', 'mp3', '-write_xing', '0', '-id3v2_version', '0')
  const ape = apeTag({ Title: 'Ape', 'Cover Art (Front)': 'x'.repeat(200_000) })
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
  for (const [what, bytes] of Object.entries(other)) t.not(await isMpeg(bytes), true, what)
})

t.test('a tag that would take minutes to read is left out, the length behind it is not', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 2, title: 'Behind' })
  const bytes = 64 * 1024 * 1024
  const padding = Buffer.alloc(10 + bytes)
  padding.write('ID3\x03', 'latin1')
  padding[6] = bytes >> 21
  await writeFile(path, Buffer.concat([padding, await readFile(path)]))
  const facts = await tags.read(path)
  t.match(facts, { title: null, artist: null })
  t.ok(Math.abs(facts.duration! - 2) < 0.1)
  await writeFile(path, padding)
  await t.rejects(tags.read(path), 'nothing behind it')
})

t.test('what is not audio throws', async (t) => {
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

/** An ID3v2 tag of any version with frames as they are, and some padding. */
function rawId3(version: 2 | 3 | 4, frames: [id: string, content: string | Buffer][]): Buffer {
  const syncsafe = (n: number) => Buffer.from([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])
  const plain = (n: number) => Buffer.from([n >> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255])
  const parts = frames.map(([id, content]) => {
    const body = Buffer.from(content as string, 'latin1')
    const size = version === 4 ? syncsafe(body.length) : plain(body.length)
    const rest = version === 2 ? size.subarray(1) : Buffer.concat([size, Buffer.alloc(2)])
    return Buffer.concat([Buffer.from(id), rest, body])
  })
  const body = Buffer.concat([...parts, Buffer.alloc(64)])
  return Buffer.concat([Buffer.from(`ID3${String.fromCharCode(version)}\0\0`), syncsafe(body.length), body])
}

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const picture = (mime: string) =>
  Buffer.concat([Buffer.from(`\0${mime}\0\x03Обкладинка\0`, 'latin1'), randomBytes(30_000)])

t.test('tags are written, and all else in the file stays as it is', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  const encode = async (...options: string[]) => {
    const target = join(folder, 'tone.mp3')
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=duration=2', '-id3v2_version', '0']
    await run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...noise, ...options, target])
    return readFile(target)
  }
  const [xing, bare] = [await encode('-q:a', '4'), await encode('-q:a', '4', '-write_xing', '0')]
  const comment = Buffer.concat([
    Buffer.from('\x01eng', 'latin1'),
    utf16('про'),
    Buffer.alloc(2),
    utf16('що'),
  ])
  const rating = 'a@b\0\x80\0\0\0\x07'
  const files: Record<string, { file: Buffer; sound?: Buffer; kept?: (string | Buffer)[] }> = {
    'without tags': { file: bare },
    'with a Xing header': { file: xing, sound: xing },
    'with ID3v1 only': { file: Buffer.concat([bare, id3v1('Old title')]) },
    'with ID3v2.2': {
      file: Buffer.concat([
        rawId3(2, [
          ['TT2', '\0Old'],
          ['TYE', '\x001990'],
          ['COM', '\0eng\0about'],
          ['PIC', '\0JPG\x03\0picture'],
          ['POP', rating],
          ['ZZZ', 'unknown'],
        ]),
        bare,
      ]),
      kept: ['about', 'JPG\x03\0picture', rating, 'ZZZ\0\0\x07unknown'],
    },
    'with ID3v2.3': {
      file: Buffer.concat([
        rawId3(3, [
          ['TIT2', '\0Old'],
          ['TPE1', '\0Somebody/else'],
          ['TALB', '\0Old'],
          ['TYER', '\x001990'],
          ['TDAT', '\x000105'],
          ['TCON', '\0(17)'],
          ['COMM', comment],
          ['WXXX', '\0\0http://example.org'],
          ['APIC', picture('image/png')],
          ['POPM', rating],
          ['PRIV', 'own\0\x01\x02'],
          ['XYZW', 'unknown'],
          ['TLEN', '\x001234\0'],
        ]),
        xing,
        id3v1('Old'),
      ]),
      sound: xing,
      kept: [comment, 'http://example.org', rating, 'own\0\x01\x02', 'XYZW\0\0\0\x07\0\0unknown', '(17)'],
    },
    'with ID3v2.4': {
      file: Buffer.concat([
        rawId3(4, [
          ['TIT2', '\x03Old'],
          ['TDRC', '\x031990-05-01'],
          ['TCON', '\x03Rock\0Pop'],
          ['USLT', '\x03eng\0la la'],
          ['TXXX', '\x03key\0value\0'],
          ['APIC', picture('image/jpeg')],
          ['XYZW', 'unknown'],
          ['CHAP', 'c1\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0'],
        ]),
        bare,
      ]),
      kept: ['Rock\0Pop', 'la la', 'key\0value', 'unknown', 'CHAP'],
    },
    'with APE': {
      file: Buffer.concat([bare, apeTag({ Title: 'Old', Artist: 'Old', Comment: 'kept' })]),
      kept: ['Comment\0kept'],
    },
    'with APE and ID3v1': {
      file: Buffer.concat([bare, apeTag({ Title: 'Old', Comment: 'kept' }), id3v1('Old')]),
      kept: ['Comment\0kept'],
    },
    'behind padding of some MB': {
      file: Buffer.concat([rawId3(3, [['PRIV', Buffer.alloc(3_000_000)]]), bare]),
    },
    'cut short': { file: bare.subarray(0, bare.length - 300), sound: bare.subarray(0, bare.length - 300) },
  }
  const wanted = [
    { title: 'Ой у лузі червона калина', artist: 'Їжак & Ґава', album: 'Зорі', year: 2014 },
    { title: 'T'.repeat(300), artist: 'AC/DC / Ґава', album: '', year: null },
  ]
  for (const [what, { file, sound = bare, kept = [] }] of Object.entries(files)) {
    await writeFile(path, file)
    for (const tagsWanted of wanted) {
      await tags.write(path, tagsWanted)
      const { title, artist, album, year } = await tags.read(path)
      t.same({ title, artist, album: album ?? '', year }, tagsWanted, `${what}: ${title?.slice(0, 30)}`)
      const written = await readFile(path)
      t.ok(written.includes(sound), `${what}: the sound`)
      for (const content of kept)
        t.ok(written.includes(Buffer.from(content as string, 'latin1')), `${what}: ${content.slice(0, 20)}`)
      t.notOk(written.subarray(-128).toString('latin1').startsWith('TAG'), `${what}: no ID3v1`)
    }
  }
})

t.test('a year that stays keeps its month and day', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  await writeFile(path, Buffer.concat([rawId3(4, [['TDRC', '\x031990-05-01']]), await readFile(path)]))
  await tags.write(path, { title: 'a', artist: 'b', album: 'c', year: 1990 })
  t.ok((await readFile(path)).includes('1990-05-01'))
})

t.test('what cannot be rewritten faithfully is refused', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  const facts = { title: 'a', artist: 'b', album: 'c', year: 2000 }
  await link(path, join(folder, 'b.mp3'))
  await t.rejects(tags.write(path, facts), 'two names of one file would change together')
  for (const bytes of [Buffer.alloc(0), Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1')]) {
    await writeFile(join(folder, 'c.mp3'), bytes)
    await t.rejects(tags.write(join(folder, 'c.mp3'), facts))
  }
  await t.rejects(tags.write(join(folder, 'none.mp3'), facts), { code: 'ENOENT' })
})
