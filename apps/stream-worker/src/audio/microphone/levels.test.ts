import { DEFAULT_GAIN } from '@solstice/playout'
import { FRAME_SAMPLES, type MicrophoneLevel, SAMPLE_RATE } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { participant } from '../../../../../tests/harness/air/participant.ts'
import { cut, makeRecording } from '../../../../../tests/harness/audio/recording.ts'
import { createLoudnessMeter } from './loudness.ts'
import { createMicrophoneMixer } from './mixer.ts'

const SECONDS = 3
const PIECE_MS = 100
/** The amplitude of ffmpeg's sine is an eighth of full scale. */
const SINE = 1 / 8
const GAIN = 4
const SHOWN = (SINE * GAIN) / DEFAULT_GAIN
const log = pino({ level: 'silent' })

t.test('a meter shows peak and RMS with the gain, at most full scale, and begins anew', (t) => {
  const meter = createLoudnessMeter()
  meter.add(Float32Array.of(0.1, -0.2, 0.1, 0.9), 3, 2)
  t.same(meter.read(6), { peak: 0.4, rms: 0.2 }, 'the samples that are missing were a pause')
  t.same(meter.read(6), { peak: 0, rms: 0 })
  meter.add(Float32Array.of(0.5, -0.5), 2, 7)
  t.same(meter.read(2), { peak: 1, rms: 1 })
  meter.add(Float32Array.of(0.0004, -0.0004), 2, 2)
  t.same(meter.read(2), { peak: 0, rms: 0 }, 'noise is silence')
  t.end()
})

t.test('levels are told four times a second while somebody is heard, then once more', async (t) => {
  const told: { atMs: number; levels: readonly MicrophoneLevel[] }[] = []
  let nowMs = 0
  const mixer = createMicrophoneMixer({
    askForHead() {},
    onLevels: (levels) => told.push({ atMs: nowMs, levels }),
    nowMs: () => nowMs,
    log,
  })
  t.teardown(() => mixer.close())
  const people = [
    participant('speaks', { gain: GAIN }),
    participant('muted', { isMuted: true }),
    participant('silent'),
  ]
  await mixer.follow(people)
  const pieces = cut(
    await makeRecording(`sine=frequency=1000:duration=${SECONDS}`, SECONDS),
    SECONDS,
    PIECE_MS,
  )
  let mixed = 0
  /** Mixes as a broadcast does, while two of them send a recording from 1 s on. */
  const listen = (untilMs: number) => {
    while (nowMs < untilMs) {
      nowMs += PIECE_MS
      const piece = pieces[nowMs / PIECE_MS - 10]
      for (const socketId of ['speaks', 'muted']) if (piece) mixer.receive({ socketId, bytes: piece })
      for (; mixed + FRAME_SAMPLES <= (nowMs * SAMPLE_RATE) / 1000; mixed += FRAME_SAMPLES)
        mixer.mix(0, FRAME_SAMPLES)
    }
  }
  listen(1_000)
  t.same(told, [], 'nobody says anything')

  listen(6_000)
  const spoken = told.map(({ levels }) => levels[0]!)
  t.ok(told.length >= 11 && told.length <= 15, `${told.length} messages for ${SECONDS} s`)
  const inBetween = spoken.slice(2, -3)
  for (const { peak, rms } of inBetween) {
    t.ok(Math.abs(peak / SHOWN - 1) < 0.2, `a peak of ${peak}`)
    t.ok(Math.abs((rms * Math.SQRT2) / SHOWN - 1) < 0.2, `an RMS of ${rms}`)
  }
  const quiet = [
    { socketId: 'muted', peak: 0, rms: 0 },
    { socketId: 'silent', peak: 0, rms: 0 },
  ]
  for (const { levels } of told) t.same(levels.slice(1), quiet)
  t.same(told.at(-1)?.levels, [{ socketId: 'speaks', peak: 0, rms: 0 }, ...quiet], 'the end is told')

  told.length = 0
  await mixer.follow([])
  listen(7_000)
  t.same(told, [], 'nobody was heard, nobody is')
})
