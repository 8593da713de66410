import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openLoudnessMeter } from '@solstice/adapters'
import { learn, projectAir, type TrackRef } from '@solstice/playout'
import { chunkEndMs, type FrameChunk, type LoudnessRules, renditionOf } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { decode, melody } from '../../../../tests/harness/audio.ts'
import { type Teardown, temporaryFolder } from '../../../../tests/harness/processes.ts'
import { NOON, ordered, playing } from '../../../../tests/harness/programme.ts'
import { startBroadcast } from './broadcast.ts'

const AHEAD_MS = 1500
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
  const stream = await broadcast(t, folder, [quiet, loud, mono], 16)

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
  const stream = await broadcast(t, folder, [first, unmeasured], 4, told)
  const heard = melody(await decode(stream), [440, 880])
  t.ok(Math.abs(heard.indexOf(440) / 20) < 0.2)
  t.ok(
    Math.abs(heard.indexOf(880) / 20 - 2) < 0.2,
    `the second one begins after ${heard.indexOf(880) / 20} s`,
  )
})

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
 * The bytes of a broadcast of so many seconds, made faster than real time by the engine and the sound.
 *
 * @param told renditions that the engine learns when the first second was published.
 */
async function broadcast(
  t: Teardown,
  folder: string,
  [first, ...others]: TrackRef[],
  seconds: number,
  told?: Record<string, NonNullable<TrackRef['rendition']>>,
): Promise<Buffer> {
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
      settings: { ffmpegPath: 'ffmpeg', bitrate: 192, crossfadeMs: 0 },
      log: pino({ level: 'silent' }),
    })
    t.teardown(() => air.stop())
  })
  await enough
  return Buffer.concat(chunks.map(({ audio }) => audio))
}
