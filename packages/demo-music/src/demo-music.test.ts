import { createHash } from 'node:crypto'
import t from 'tap'
import { ART_HEIGHT, ART_WIDTH, paint } from './artwork.ts'
import { barStart, compose, lengthOf } from './compose.ts'
import { parseChord, scaleOf, settle, voice } from './harmony.ts'
import { loudness } from './mastering.ts'
import { artists, pieces } from './pieces.ts'
import { seededRandom } from './random.ts'
import { render, soundLength, toPcm } from './render.ts'
import { lrcOf, lyricsOf } from './words.ts'

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
    t.equal(new Set(pieces.map(({ artist, title }) => `${artist} - ${title}`)).size, 12)
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
