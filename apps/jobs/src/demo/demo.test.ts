import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { audioTags, connect, readConfig } from '@solstice/adapters'
import { artistKey, lyricsKey } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { startRedis, temporaryFolder } from '../../../../tests/harness/processes.ts'
import { makeDemoLibrary } from '../processors/demo-library.ts'
import { ART_HEIGHT, ART_WIDTH, paint } from './artwork.ts'
import { barStart, compose, lengthOf } from './compose.ts'
import { parseChord, scaleOf, settle, voice } from './harmony.ts'
import { loudness } from './mastering.ts'
import { artists, pieces } from './pieces.ts'
import { seededRandom } from './random.ts'
import { render, soundLength, toPcm } from './render.ts'
import { lrcOf, lyricsOf } from './words.ts'

const run = promisify(execFile)
const SAMPLE_RATE = 44_100
/** The pieces with a few bars each, of all that plays in them. */
const shortPieces = pieces.map((piece) => {
  const { form, parts } = piece.score
  return {
    ...piece,
    score: { ...piece.score, form: [{ ...form[0]!, bars: 4, play: Object.keys(parts).join(' ') }] },
  }
})

t.test(
  'eight day and four night pieces of 40 to 90 s, by invented artists who all have a picture',
  async (t) => {
    t.equal(pieces.filter(({ mode }) => mode === 'day').length, 8)
    t.equal(pieces.filter(({ mode }) => mode === 'night').length, 4)
    t.equal(new Set(pieces.map(({ artist, title }) => lyricsKey(artist, title))).size, 12)
    const names = artists.map(({ name }) => name)
    for (const { title, artist, score, space } of pieces) {
      const seconds = soundLength(score, space)
      t.ok(seconds >= 40 && seconds <= 90, `${title} lasts ${seconds.toFixed(1)} s`)
      t.ok(names.includes(artist), artist)
    }
  },
)

t.test(
  'every score can be played: bars are full, notes are within reach of ear and instrument',
  async (t) => {
    for (const { title, score, words } of pieces) {
      const played = compose(score, seededRandom(1))
      t.ok(
        played.every(({ hz, seconds }) => hz === 0 || (hz > 30 && hz < 2_400 && seconds < 10)),
        title,
      )
      for (const { pattern } of Object.values(score.parts)) {
        if (pattern.kind !== 'tune') continue
        for (const bar of pattern.tune.split('|')) {
          const beats = bar
            .trim()
            .split(/\s+/)
            .reduce((sum, note) => sum + Number(note.split(':')[1]), 0)
          t.equal(beats, score.beatsPerBar, `${title}: ${bar.trim()}`)
        }
      }
      t.ok(
        words.every(([bar]) => barStart(score, bar) < lengthOf(score)),
        `${title}: the words end before the music`,
      )
    }
  },
)

t.test('words come at their bars, in the form of synced lyrics', async (t) => {
  for (const piece of pieces) {
    const { lines } = lyricsOf(piece)
    t.equal(lines.length, piece.words.length)
    t.same(
      lines.map(({ time }) => time),
      lines.map(({ time }) => time).sort((a, b) => a - b),
    )
    t.match(lrcOf(piece), /^\[\d\d:\d\d\.\d\d\] \S/)
  }
})

t.test(
  'a piece is at −16 LUFS, not clipped, never long silent, both sides alive, the same each time',
  async (t) => {
    // One with everything in it, for the others are made the same way.
    for (const piece of [pieces[0]!, pieces[1]!]) {
      const mix = await render(piece.score, piece.space, 1)
      t.ok(Math.abs(loudness(mix) + 16) < 0.5, `${loudness(mix).toFixed(2)} LUFS`)
      const windows = Math.floor(mix.left.length / SAMPLE_RATE)
      const levels = Array.from({ length: windows }, (_, second) =>
        [mix.left, mix.right].map((side) =>
          rms(side.subarray(second * SAMPLE_RATE, (second + 1) * SAMPLE_RATE)),
        ),
      )
      const silent = levels.map((sides) => Math.max(...sides) < 0.003)
      t.notOk(
        silent.some((isSilent, second) => isSilent && silent[second + 1]),
        'no two seconds of silence',
      )
      t.ok(
        mix.left.every((sample) => Math.abs(sample) <= 0.85),
        'no peak above −1.4 dBFS',
      )
      t.ok(
        mix.left.every((sample) => Number.isFinite(sample)),
        'every sample is a number',
      )
      const [left, right] = [rms(mix.left), rms(mix.right)]
      t.ok(Math.abs(20 * Math.log10(left / right)) < 3, 'left and right are in balance')
      const between = rms(mix.left.map((sample, i) => sample - mix.right[i]!))
      t.ok(between > 0.05 * left, 'it is stereo')
    }
    const { score, space } = shortPieces[0]!
    const [once, again] = [await render(score, space, 1), await render(score, space, 1)]
    t.equal(hash(toPcm(again, 1)), hash(toPcm(once, 1)))
  },
)

t.test('an empty library is filled piece by piece, and a crash in between repeats nothing', async (t) => {
  const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
  const env = {
    JWT_SECRET: 'x',
    NIGHT_MODE: 'false',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
  }
  const ports = await connect(readConfig(env).config, pino({ level: 'silent' }))
  t.teardown(() => ports.close())
  const { data } = ports
  const heard: string[] = []
  const listener = ports.redis.duplicate()
  t.teardown(() => listener.disconnect())
  await listener.psubscribe('solstice-io*')
  listener.on('pmessageBuffer', (_pattern, _channel, message: Buffer) =>
    heard.push(message.toString('latin1')),
  )
  const stopping = new AbortController()

  const stopAfterFirst = setInterval(async () => {
    if ((await data.tracks.find()).length > 0) stopping.abort()
  }, 20)
  await t.rejects(makeDemoLibrary(ports, stopping.signal, shortPieces))
  clearInterval(stopAfterFirst)
  const [piece] = shortPieces
  const key = `day/${piece!.artist} - ${piece!.title}.mp3`
  const [track, ...others] = await data.tracks.find()
  t.equal(track?.id, key)
  t.same(others, [], 'it stopped where it was told to')
  t.ok(
    heard.some((message) => message.includes('library_updated')),
    'listeners were told',
  )
  const commands = JSON.stringify(await ports.redis.xrange('solstice:commands', '-', '+'))
  t.match(commands, 'library-changed', 'the air was told')

  const path = join(folder, 'media/music', key)
  const facts = await audioTags().read(path)
  t.match(facts, { title: piece!.title, artist: piece!.artist, album: piece!.album, year: piece!.year })
  t.ok(Math.abs(facts.duration! - soundLength(piece!.score, piece!.space)) < 0.1)
  t.equal(track?.duration, facts.duration)
  const { stderr } = await run('ffmpeg', [
    '-nostdin',
    '-hide_banner',
    '-i',
    path,
    '-af',
    'ebur128',
    '-f',
    'null',
    '-',
  ])
  const measured = Number(/I:\s+(-[\d.]+) LUFS\s+Threshold/.exec(stderr)?.[1])
  t.ok(Math.abs(measured + 16) < 1, `ffmpeg measures ${measured} LUFS`)
  const lyrics = await data.lyrics.get(lyricsKey(piece!.artist, piece!.title))
  t.equal(lyrics?.lines.length, piece!.words.length)
  const art = await data.artists.get(artistKey(piece!.artist))
  t.match(art, { hasArt: true, artFileName: 'amber tramway.jpg' })

  // Everything but one piece is there already.
  const missing = pieces[1]!
  for (const { title, artist, album, year, mode } of pieces) {
    if (title === missing.title) continue
    const filename = `${artist} - ${title}.mp3`
    const id = `${mode}/${filename}`
    await data.tracks.insert({ id, title, artist, album, year, duration: 60, mode, filename, storageKey: id })
  }
  const before = (await stat(path)).mtimeMs
  await makeDemoLibrary(ports, new AbortController().signal, shortPieces)
  t.equal((await data.tracks.find()).length, 12)
  t.equal((await stat(path)).mtimeMs, before, 'what was there is not made again')
  t.same(await readdir(join(folder, 'media/music/night')), [`${missing.artist} - ${missing.title}.mp3`])
})

t.test('without ffmpeg the library stays empty, and that is no failure', async (t) => {
  const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
  const env = {
    JWT_SECRET: 'x',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
    FFMPEG_PATH: join(folder, 'no-such-program'),
  }
  const ports = await connect(readConfig(env).config, pino({ level: 'silent' }))
  t.teardown(() => ports.close())
  await makeDemoLibrary(ports, new AbortController().signal, shortPieces)
  t.same(await ports.data.tracks.find(), [])
})

t.test('a picture has its size, a light sky by day, a dark one by night, and no steps', async (t) => {
  const [day, night] = [paint(artists[0]!), paint(artists.at(-1)!)]
  t.equal(day.length, ART_WIDTH * ART_HEIGHT * 3)
  t.ok(mean(day.subarray(0, 100_000)) > 200)
  t.ok(mean(night.subarray(0, 100_000)) < 60)
  t.ok(paint(artists[0]!).equals(day), 'the same each time')
})

t.test('harmony: chords, scales and voices as musicians know them', async (t) => {
  t.same(parseChord('Cmaj9').tones, [0, 4, 11, 2])
  t.same(parseChord('A/C#'), { bass: 1, tones: [9, 1, 4] })
  t.throws(() => parseChord('H7'))
  const degree = scaleOf('D minor', 60)
  t.same([0, 1, 3, 8].map(degree), [60, 62, 65, 74])
  t.equal(settle(65, parseChord('Cmaj7')), 64, 'a fourth above the root goes to the third')
  const first = voice(parseChord('C'), null, 60)
  const second = voice(parseChord('F'), first, 60)
  const travel = second.reduce(
    (sum, note) => sum + Math.min(...first.map((other) => Math.abs(note - other))),
    0,
  )
  t.ok(travel <= 3, 'voices move little')
})

function rms(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

function mean(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum += byte
  return sum / bytes.length
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
