import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { link, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { tagBombs } from '../../../../../tests/harness/audio/tag-bombs.ts'
import { apeTag, id3v1, id3v2 } from '../../../../../tests/harness/audio/tags.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { longestTurnMs } from '../../../../../tests/harness/processes/turns.ts'
import { audioTags } from '../tags.ts'

const run = promisify(execFile)
const tags = audioTags()

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const picture = (mime: string) =>
  Buffer.concat([Buffer.from(`\0${mime}\0\x03Обкладинка\0`, 'latin1'), randomBytes(30_000)])

t.test('tags are written, and everything else in the file is kept', async (t) => {
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
        id3v2(2, [
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
        id3v2(3, [
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
        id3v2(4, [
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
      file: Buffer.concat([
        bare,
        apeTag([
          ['Title', 'Old'],
          ['Artist', 'Old'],
          ['Comment', 'kept'],
        ]),
      ]),
      kept: ['Comment\0kept'],
    },
    'with APE and ID3v1': {
      file: Buffer.concat([
        bare,
        apeTag([
          ['Title', 'Old'],
          ['Comment', 'kept'],
        ]),
        id3v1('Old'),
      ]),
      kept: ['Comment\0kept'],
    },
    'behind padding of some MB': {
      file: Buffer.concat([id3v2(3, [['PRIV', Buffer.alloc(3_000_000)]]), bare]),
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

t.test('an unchanged year keeps its month and day', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  await writeFile(path, Buffer.concat([id3v2(4, [['TDRC', '\x031990-05-01']]), await readFile(path)]))
  await tags.write(path, { title: 'a', artist: 'b', album: 'c', year: 1990 })
  t.ok((await readFile(path)).includes('1990-05-01'))
})

t.test('a file that cannot be rewritten faithfully is refused', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  const facts = { title: 'a', artist: 'b', album: 'c', year: 2000 }
  await link(path, join(folder, 'b.mp3'))
  const before = await readFile(path)
  await tags.write(path, facts)
  t.same(await readFile(join(folder, 'b.mp3')), before, 'another name of the file keeps what it had')
  for (const bytes of [Buffer.alloc(0), Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1')]) {
    await writeFile(join(folder, 'c.mp3'), bytes)
    await t.rejects(tags.write(join(folder, 'c.mp3'), facts))
  }
  await t.rejects(tags.write(join(folder, 'none.mp3'), facts), { code: 'ENOENT' })
})

t.test('no tag blocks the event loop while it is rewritten, and each is kept as it is', async (t) => {
  const path = join(await temporaryFolder(t), 'a.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  const audio = await readFile(path)
  const wanted = { title: 'Назва', artist: 'Гурт', album: '', year: 1999 }
  const bombs = ['40 000 genres', '700 000 frames', '8 MB unsynchronised', '400 000 items of APE']
  for (const what of bombs) {
    const { before = Buffer.alloc(0), behind = Buffer.alloc(0) } = tagBombs[what]!
    await writeFile(path, Buffer.concat([before, audio, behind]))
    const longestMs = await longestTurnMs(() => tags.write(path, wanted))
    t.ok(longestMs < 200, `${what}: ${longestMs.toFixed()} ms`)
    t.match(await tags.readMp3(path), { title: 'Назва', artist: 'Гурт', album: null, year: 1999 })
  }
})
