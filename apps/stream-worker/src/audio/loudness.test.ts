import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openLoudnessMeter } from '@solstice/adapters'
import {
  learn,
  type OrderEffect,
  orderEffects,
  projectAir,
  type Step,
  type TrackRef,
} from '@solstice/playout'
import { chunkEndMs, cuePointsOf, type FrameChunk, type LoudnessRules } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { NOON, ordered, playing } from '../../../../tests/harness/air/programme.ts'
import { decode, makeTone, melody, pitch } from '../../../../tests/harness/audio/audio.ts'
import { type Teardown, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { startBroadcast } from './broadcast.ts'

const AHEAD_MS = 1500
const RATE = 44_100
const run = promisify(execFile)
const meter = openLoudnessMeter('ffmpeg')
const measure = (path: string) => meter.measure(path, new AbortController().signal)
const rules: LoudnessRules = { loudnessTargetLufs: -16, trimSilence: true, streamMode: true }

t.test('tracks of any loudness are heard at the same one, without the silence around them', async (t) => {
  const folder = await temporaryFolder(t)
  const quiet = await makeTrack(folder, 'quiet', { hz: 440, amplitude: 0.0316, fromS: 3, toS: 9, seconds: 9 })
  const loud = await makeTrack(folder, 'loud', { hz: 880, amplitude: 0.316, fromS: 0, toS: 5, seconds: 8 })
  const mono = await makeTrack(folder, 'mono', { hz: 1320, amplitude: 0.1, fromS: 1, toS: 6, seconds: 7 }, 1)
  t.ok(quiet.cuePoints!.gainDb! > 12, `+${quiet.cuePoints!.gainDb} dB`)
  t.ok(loud.cuePoints!.gainDb! < -4, `${loud.cuePoints!.gainDb} dB`)
  const stream = bytesOf(await broadcast(t, folder, [quiet, loud, mono], 16))

  // The first one comes again after 16 s.
  const heard = melody(await decode(stream), [440, 880, 1320]).slice(0, 20 * 15.9)
  const spans = [440, 880, 1320].map((hz) => [heard.indexOf(hz) / 20, heard.lastIndexOf(hz) / 20 + 0.05])
  t.ok(spans[0]![0]! < 0.2, `the first sound is heard at once, after ${spans[0]![0]} s`)
  for (const [i, [fromS, toS]] of [
    [0, 6],
    [6, 11],
    [11, 16],
  ].entries()) {
    const isThere = Math.abs(spans[i]![0]! - fromS!) < 0.2 && Math.abs(spans[i]![1]! - toS!) < 0.2
    t.ok(isThere, `track ${i} is heard from ${spans[i]![0]} to ${spans[i]![1]} s`)
  }
  const whole = join(folder, 'stream.mp3')
  await writeFile(whole, stream)
  for (const [i, [fromS, toS]] of spans.entries()) {
    const part = join(folder, `part-${i}.wav`)
    const cut = ['-ss', String(fromS! + 0.3), '-t', String(toS! - fromS! - 0.6)]
    await run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', '-i', whole, ...cut, part])
    const { lufs, peakDb } = (await measure(part))!
    t.ok(Math.abs(lufs! + 16) < 0.5, `track ${i} has ${lufs} LUFS on air`)
    t.ok(peakDb! <= -1)
  }
})

t.test('V3: a measurement that arrives while the next track is prepared is applied', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = { amplitude: 0.1, fromS: 1, toS: 3, seconds: 4 }
  const first = await makeTrack(folder, 'first', { ...tone, hz: 440 })
  const second = await makeTrack(folder, 'second', { ...tone, hz: 880 })
  const { cuePoints: _, ...unmeasured } = second
  const told = { [first.id]: first.cuePoints!, [second.id]: second.cuePoints! }
  const chunks = await broadcast(t, folder, [first, unmeasured], 4, { told })
  const heard = melody(await decode(bytesOf(chunks)), [440, 880])
  t.ok(Math.abs(heard.indexOf(440) / 20) < 0.2)
  t.ok(
    Math.abs(heard.indexOf(880) / 20 - 2) < 0.2,
    `the second one begins after ${heard.indexOf(880) / 20} s`,
  )
})

t.test(
  'V2: tracks overlap by the crossfade where they are heard, not where their files begin and end',
  async (t) => {
    const folder = await temporaryFolder(t)
    const tracks = await Promise.all(
      [
        { hz: 300, seconds: 6, startMs: 1_000, endMs: 5_000 },
        { hz: 600, seconds: 5, startMs: 2_000, endMs: 4_500 },
        { hz: 1200, seconds: 3, startMs: 1_000, endMs: 1_400 },
        { hz: 450, seconds: 6, startMs: 500, endMs: null },
      ].map(async ({ hz, seconds, startMs, endMs }): Promise<TrackRef> => {
        const id = String(hz)
        await makeTone(join(folder, `${id}.mp3`), { hz, seconds })
        const about = { id, title: id, artist: id, album: '', year: null, durationMs: seconds * 1000 }
        return { ...about, cuePoints: { gainDb: null, startMs, endMs } }
      }),
    )
    const chunks = await broadcast(t, folder, tracks, 8, { crossfadeMs: 1_000 })
    const sound = await decode(bytesOf(chunks))
    const alone = pitch(sound, 300, RATE, RATE)
    const at = (seconds: number, hz: number) =>
      pitch(sound, hz, Math.round(seconds * RATE) - 1102, 2205) / alone
    const cases: [number, Record<number, number>][] = [
      [2.8, { 300: 1, 600: 0 }],
      [3.5, { 300: Math.SQRT1_2, 600: Math.SQRT1_2 }],
      [4.1, { 300: 0, 600: 1, 1200: 0 }],
      [5.2, { 600: 1, 1200: 0 }],
      // The short one lasts 0.4 s: it is faded in over the first half of that, and out over the second.
      [5.4, { 600: Math.SQRT1_2, 1200: Math.SQRT1_2, 450: 0 }],
      [5.6, { 600: 0, 1200: Math.SQRT1_2, 450: Math.SQRT1_2 }],
      [5.8, { 1200: 0, 450: 1 }],
    ]
    for (const [seconds, levels] of cases)
      for (const [hz, level] of Object.entries(levels)) {
        const heard = at(seconds, Number(hz))
        t.ok(
          Math.abs(heard - level) < 0.08,
          `${hz} Hz at ${seconds} s: ${heard.toFixed(3)} of ${level.toFixed(3)}`,
        )
      }
    const starts = chunks
      .flatMap(({ markers }) => markers)
      .filter((marker) => marker.entryId !== null)
      .filter((marker, i, all) => marker.entryId !== all[i - 1]?.entryId)
      .slice(0, tracks.length)
    t.same(
      starts.map(({ trackId }) => trackId),
      tracks.map(({ id }) => id),
    )
    for (const [i, { frame, positionMs }] of starts.entries()) {
      const [atS, track] = [[0, 3, 5.3, 5.5][i]!, tracks[i]!]
      const late = frame - starts[0]!.frame - (atS * RATE) / 1152
      t.ok(late > -0.1 && late < 1.1, `the marker of ${track.id} comes with its first sound`)
      t.ok(
        Math.abs(positionMs - track.cuePoints!.startMs - late * 26.122) < 0.1,
        'with its position in the file',
      )
    }
  },
)

t.test('T6: an entry silent for 8 s is left at once, and its order ends', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = '0.1*sin(2*PI*440*t)'
  const tracks = await Promise.all(
    [
      { id: 'tone', sound: tone, seconds: 1 },
      { id: 'gap', sound: `${tone}*(lt(t\\,1)+gt(t\\,13))`, seconds: 14 },
      { id: 'rest', sound: `${tone}*(lt(t\\,1)+gt(t\\,6))`, seconds: 7 },
      { id: 'faint', sound: '0.008*sin(2*PI*440*t)', seconds: 9 },
      { id: 'silent', sound: '0', seconds: 10 },
      { id: 'hush', sound: '0.0005*sin(2*PI*440*t)', seconds: 10 },
    ].map(async ({ id, sound, seconds }) => {
      await makeSound(join(folder, `${id}.mp3`), sound, seconds, 1)
      return unmeasured(id, seconds)
    }),
  )
  const orders: OrderEffect[] = []
  const chunks = await broadcast(t, folder, tracks, 43.5, { orders })
  const first = chunks[0]!.frame
  const starts = chunks
    .flatMap(({ markers }) => markers)
    .filter((marker) => marker.entryId !== null)
    .filter((marker, i, all) => marker.entryId !== all[i - 1]?.entryId)
  t.same(
    starts.slice(0, 7).map(({ frame, trackId }) => [trackId, Math.round(((frame - first) * 1152) / RATE)]),
    [
      ['tone', 0],
      ['gap', 1],
      ['rest', 10],
      ['faint', 17],
      ['silent', 26],
      ['hush', 34],
      ['gap', 42],
    ],
    'after two silent ones comes one with sound',
  )
  t.ok(
    chunks.every(({ frame }, i) => i === 0 || frame === chunks[i - 1]!.frame + chunks[i - 1]!.frames),
    'without a hole',
  )
  const last = starts[6]!.frame
  const end = chunks.filter(({ frame, frames }) => frame + frames > last)
  const heardMs = melody(await decode(bytesOf(end)), [440]).indexOf(440) * 50
  t.ok(heardMs - ((last - end[0]!.frame) * 1152_000) / RATE < 60, 'what follows is heard at once')
  t.same(
    orders.filter(({ type }) => type !== 'order-aired').map(({ orderId, type }) => [orderId, type]),
    [
      ['gap', 'order-ended'],
      ['rest', 'order-ended'],
      ['faint', 'order-ended'],
      ['silent', 'order-dropped'],
      ['hush', 'order-dropped'],
    ],
  )
})

/** A file with a tone in silence, and what is known of it once it was measured. */
async function makeTrack(
  folder: string,
  name: string,
  tone: { hz: number; amplitude: number; fromS: number; toS: number; seconds: number },
  channels = 2,
): Promise<TrackRef> {
  const { hz, amplitude, fromS, toS, seconds } = tone
  const path = join(folder, `${name}.mp3`)
  await makeSound(path, `${amplitude}*sin(2*PI*${hz}*t)*between(t\\,${fromS}\\,${toS})`, seconds, channels)
  const measured = await measure(path)
  const cuePoints = cuePointsOf({ trackId: name, size: 0, modifiedMs: 0, ...measured! }, rules)
  return { ...unmeasured(name, seconds), cuePoints }
}

async function makeSound(path: string, expression: string, seconds: number, channels = 2) {
  const source = `aevalsrc=${Array(channels).fill(expression).join('|')}:s=44100:d=${seconds}`
  await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, '-b:a', '192k', path])
}

function unmeasured(id: string, seconds: number): TrackRef {
  return { id, title: id, artist: id, album: '', year: null, durationMs: seconds * 1000 }
}

/**
 * A broadcast of so many seconds, made faster than real time by the engine and the sound.
 *
 * @param options.told cue points that the engine learns once something is on the air, within the first 1.7 s.
 * @param options.orders is told the fate of every track but the first; their ids are also order ids.
 */
async function broadcast(
  t: Teardown,
  folder: string,
  [first, ...others]: TrackRef[],
  seconds: number,
  options: {
    told?: Record<string, NonNullable<TrackRef['cuePoints']>>
    crossfadeMs?: number
    orders?: OrderEffect[]
  } = {},
): Promise<FrameChunk[]> {
  const { told, crossfadeMs = 0, orders = [] } = options
  let state = others.reduceRight((before, track) => ordered(before, track, null), playing([first!], 'sound'))
  for (const entry of state.playlist.entries) if (entry.track !== first) entry.orderId = entry.track.id
  const take = (step: Step) => {
    orders.push(...orderEffects(state, step))
    state = step.state
  }
  let publishedMs = NOON
  let clockMs = NOON
  let isTold = false
  const chunks: FrameChunk[] = []
  const enough = new Promise<void>((resolve) => {
    const air = startBroadcast({
      plan: {
        at: (at) => projectAir(state, at),
        soundEnded: (entryId, at) => take(learn(state, { type: 'sound-ended', entryId }, at)),
        blank: (entryId, at, wasHeard) => take(learn(state, { type: 'blank', entryId, wasHeard }, at)),
        late: () => {},
        unplayable: () => t.teardown(() => Promise.reject(new Error('a track could not be decoded'))),
        clipUnplayable: () => {},
      },
      source: async (media) => join(folder, `${media}.mp3`),
      async publish(chunk) {
        chunks.push(chunk)
        publishedMs = chunkEndMs(chunk)
        if (told && !isTold) {
          isTold = true
          state = learn(state, { type: 'cue-points', cuePoints: told }, publishedMs).state
        }
        if (publishedMs - NOON >= seconds * 1000) resolve()
      },
      // It begins at noon, and then goes on as far as it may before something is published.
      nowMs() {
        const nowMs = clockMs
        clockMs = (told && !isTold ? NOON : publishedMs) + AHEAD_MS
        return nowMs
      },
      after: null,
      settings: { ffmpegPath: 'ffmpeg', bitrate: 192, crossfadeMs },
      log: pino({ level: 'silent' }),
    })
    t.teardown(() => air.stop())
  })
  await enough
  return chunks
}

const bytesOf = (chunks: FrameChunk[]) => Buffer.concat(chunks.map(({ audio }) => audio))
