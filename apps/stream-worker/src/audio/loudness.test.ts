import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openLoudnessMeter } from '@solstice/adapters'
import { learn, projectAir, type TrackRef } from '@solstice/playout'
import { chunkEndMs, type FrameChunk, type LoudnessRules, renditionOf } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { decode, makeTone, melody, pitch } from '../../../../tests/harness/audio.ts'
import { type Teardown, temporaryFolder } from '../../../../tests/harness/processes.ts'
import { NOON, ordered, playing } from '../../../../tests/harness/programme.ts'
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
  t.ok(quiet.rendition!.gainDb! > 12, `+${quiet.rendition!.gainDb} dB`)
  t.ok(loud.rendition!.gainDb! < -4, `${loud.rendition!.gainDb} dB`)
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

t.test('V3: what is learned of the next track while it is prepared already counts', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = { amplitude: 0.1, fromS: 1, toS: 3, seconds: 4 }
  const first = await makeTrack(folder, 'first', { ...tone, hz: 440 })
  const second = await makeTrack(folder, 'second', { ...tone, hz: 880 })
  const { rendition: _, ...unmeasured } = second
  const told = { [first.id]: first.rendition!, [second.id]: second.rendition! }
  const chunks = await broadcast(t, folder, [first, unmeasured], 4, { told })
  const heard = melody(await decode(bytesOf(chunks)), [440, 880])
  t.ok(Math.abs(heard.indexOf(440) / 20) < 0.2)
  t.ok(
    Math.abs(heard.indexOf(880) / 20 - 2) < 0.2,
    `the second one begins after ${heard.indexOf(880) / 20} s`,
  )
})

t.test(
  'V2: songs overlap by the crossfade where they are heard, not where their files begin and end',
  async (t) => {
    const folder = await temporaryFolder(t)
    const songs = await Promise.all(
      [
        { hz: 300, seconds: 6, startMs: 1_000, endMs: 5_000 },
        { hz: 600, seconds: 5, startMs: 2_000, endMs: 4_500 },
        { hz: 1200, seconds: 3, startMs: 1_000, endMs: 1_400 },
        { hz: 450, seconds: 6, startMs: 500, endMs: null },
      ].map(async ({ hz, seconds, startMs, endMs }): Promise<TrackRef> => {
        const id = String(hz)
        await makeTone(join(folder, `${id}.mp3`), { hz, seconds })
        const about = { id, title: id, artist: id, album: '', year: null, durationMs: seconds * 1000 }
        return { ...about, rendition: { gainDb: null, startMs, endMs } }
      }),
    )
    const chunks = await broadcast(t, folder, songs, 8, { crossfadeMs: 1_000 })
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
      .flatMap(({ cues }) => cues)
      .filter((cue) => cue.entryId !== null)
      .filter((cue, i, all) => cue.entryId !== all[i - 1]?.entryId)
      .slice(0, songs.length)
    t.same(
      starts.map(({ trackId }) => trackId),
      songs.map(({ id }) => id),
    )
    for (const [i, { frame, positionMs }] of starts.entries()) {
      const [atS, song] = [[0, 3, 5.3, 5.5][i]!, songs[i]!]
      const late = frame - starts[0]!.frame - (atS * RATE) / 1152
      t.ok(late > -0.1 && late < 1.1, `the cue of ${song.id} comes with its first sound`)
      t.ok(
        Math.abs(positionMs - song.rendition!.startMs - late * 26.122) < 0.1,
        'with its position in the file',
      )
    }
  },
)

/** A file with a tone in silence, and what is known of it once it was measured. */
async function makeTrack(
  folder: string,
  name: string,
  tone: { hz: number; amplitude: number; fromS: number; toS: number; seconds: number },
  channels = 2,
): Promise<TrackRef> {
  const path = join(folder, `${name}.mp3`)
  const sine = `${tone.amplitude}*sin(2*PI*${tone.hz}*t)*between(t\\,${tone.fromS}\\,${tone.toS})`
  const source = `aevalsrc=${Array(channels).fill(sine).join('|')}:s=44100:d=${tone.seconds}`
  await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, '-b:a', '192k', path])
  const measured = await measure(path)
  const rendition = renditionOf({ trackId: name, size: 0, modifiedMs: 0, ...measured! }, rules)
  const durationMs = tone.seconds * 1000
  return { id: name, title: name, artist: name, album: '', year: null, durationMs, rendition }
}

/**
 * A broadcast of so many seconds, made faster than real time by the engine and the sound.
 *
 * @param options.told renditions that the engine learns when the first second was published.
 */
async function broadcast(
  t: Teardown,
  folder: string,
  [first, ...others]: TrackRef[],
  seconds: number,
  options: { told?: Record<string, NonNullable<TrackRef['rendition']>>; crossfadeMs?: number } = {},
): Promise<FrameChunk[]> {
  const { told, crossfadeMs = 0 } = options
  let state = others.reduceRight((before, song) => ordered(before, song, null), playing([first!], 'sound'))
  let publishedMs = NOON
  let clockMs = NOON
  const chunks: FrameChunk[] = []
  const enough = new Promise<void>((resolve) => {
    const air = startBroadcast({
      programme: {
        plan: (at) => projectAir(state, at),
        soundEnded: (entryId, at) => {
          state = learn(state, { type: 'sound-ended', entryId }, at).state
        },
        unplayable: () => t.teardown(() => Promise.reject(new Error('a track could not be decoded'))),
        clipUnplayable: () => {},
      },
      source: async (media) => join(folder, `${media}.mp3`),
      async publish(chunk) {
        chunks.push(chunk)
        publishedMs = chunkEndMs(chunk)
        if (told && publishedMs - NOON > 1000)
          state = learn(state, { type: 'renditions', renditions: told }, publishedMs).state
        if (publishedMs - NOON >= seconds * 1000) resolve()
      },
      // It begins at noon, and then goes on as far as it may before something is published.
      nowMs() {
        const nowMs = clockMs
        clockMs = publishedMs + AHEAD_MS
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
