import type { Participant } from '@solstice/playout'
import { OpusDecoder } from 'opus-decoder'
import { pino } from 'pino'
import t from 'tap'
import { participant } from '../../../../../tests/harness/air/participant.ts'
import { pitch } from '../../../../../tests/harness/audio/audio.ts'
import { cut, makeRecording } from '../../../../../tests/harness/audio/recording.ts'
import type { Teardown } from '../../../../../tests/harness/processes/processes.ts'
import { createMicrophoneMixer, type MicrophoneMixer } from './mixer.ts'

const RATE = 44_100

const FRAME = 1152

const TICK_MS = 100

/** Two decibels below full scale, so that music fits beside speech. */
const SPEECH_CEILING = 26_000

const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })

interface Studio {
  microphones: MicrophoneMixer
  /** Requests for the header of a recording. */
  asked: { socketId: string; atMs: number }[]
  /** Something happens at a moment. */
  at(ms: number, work: () => void): void
  /** Somebody sends pieces, one after the other. */
  send(socketId: string, pieces: Buffer[], everyMs: number, fromMs?: number): void
  /** Mixes up to a moment, 100 ms at a time as a broadcast does: the speech, −1 to 1, and the gain of the music. */
  listen(untilMs: number): { said: Float32Array; music: Float32Array }
}

/** A studio whose time is given by hand. */
async function openStudio(t: Teardown, participants: Participant[]): Promise<Studio> {
  let nowMs = 0
  let mixed = 0
  const asked: Studio['asked'] = []
  const plans: { ms: number; work(): void }[] = []
  const microphones = createMicrophoneMixer({
    askForHead: (socketId) => asked.push({ socketId, atMs: nowMs }),
    nowMs: () => nowMs,
    log,
  })
  t.teardown(() => microphones.close())
  await microphones.follow(participants)
  const at: Studio['at'] = (ms, work) => {
    plans.push({ ms, work })
    plans.sort((a, b) => a.ms - b.ms)
  }
  return {
    microphones,
    asked,
    at,
    send(socketId, pieces, everyMs, fromMs = everyMs) {
      for (const [i, bytes] of pieces.entries())
        at(fromMs + i * everyMs, () => microphones.receive({ socketId, bytes }))
    },
    listen(untilMs) {
      const said: number[] = []
      const music: number[] = []
      while (nowMs + TICK_MS <= untilMs) {
        nowMs += TICK_MS
        while (plans[0] && plans[0].ms <= nowMs) plans.shift()!.work()
        for (; mixed + FRAME <= (nowMs * RATE) / 1000; mixed += FRAME) {
          const over = microphones.mix(0, FRAME)
          for (let i = 0; i < FRAME; i++) {
            said.push((over?.samples[i] ?? 0) / 32_767)
            music.push(over?.musicGain[i] ?? 1)
          }
        }
      }
      return { said: Float32Array.from(said), music: Float32Array.from(music) }
    },
  }
}

/** Where speech is heard: [from, to] in ms, pauses of less than 5 ms not counted. */
function heardSpans(said: Float32Array): [number, number][] {
  const spans: [number, number][] = []
  for (let i = 0; i < said.length; i++) {
    if (Math.abs(said[i]!) < 0.002) continue
    const ms = (i * 1000) / RATE
    const last = spans.at(-1)
    if (last && ms - last[1] < 5) last[1] = ms
    else spans.push([ms, ms])
  }
  return spans
}

const peakOf = (said: Float32Array) => said.reduce((peak, one) => Math.max(peak, Math.abs(one)), 0)

const tone = (hz: number, seconds: number) =>
  makeRecording(`sine=frequency=${hz}:duration=${seconds}`, seconds)

/** Counts the packets that are decoded, by decoders that are opened from now on. */
function countDecoded(t: Teardown): () => number {
  let count = 0
  // A decoder sets its methods itself, so they are caught when it does.
  Object.defineProperty(OpusDecoder.prototype, 'decodeFrame', {
    configurable: true,
    set(decodeFrame: OpusDecoder['decodeFrame']) {
      const value: typeof decodeFrame = (packet) => {
        count++
        return decodeFrame(packet)
      }
      Object.defineProperty(this, 'decodeFrame', { value })
    },
  })
  t.teardown(() => Reflect.deleteProperty(OpusDecoder.prototype, 'decodeFrame'))
  return () => count
}

t.test('a microphone', async (t) => {
  const SECONDS = 4
  const recording = await tone(1000, SECONDS)

  t.test('is heard at its pitch and level, without a hole, whatever the length of the pieces', async (t) => {
    for (const pieceMs of [100, 250, 500]) {
      const studio = await openStudio(t, [participant('a')])
      studio.send('a', cut(recording, SECONDS, pieceMs), pieceMs)
      const { said } = studio.listen(SECONDS * 1000 + 1500)
      const spans = heardSpans(said)
      t.equal(spans.length, 1, `one span with pieces of ${pieceMs} ms`)
      const [from, to] = spans[0]!
      t.ok(from - pieceMs <= 300, `begins ${from - pieceMs} ms after the first piece`)
      t.ok(Math.abs(to - from - SECONDS * 1000) < 60, `lasts ${to - from} ms`)
      // A sine of 1/8 of full scale, with gain 2.
      const level = pitch(said, 1000, Math.round(((from + 500) * RATE) / 1000), RATE)
      t.ok(Math.abs(level - 0.25) < 0.02, `level ${level}`)
    }
  })

  t.test('has the chosen gain, and is silent while muted without pausing', async (t) => {
    const studio = await openStudio(t, [participant('a', { gain: 2 })])
    studio.send('a', cut(recording, SECONDS, 100), 100)
    studio.at(1500, () => void studio.microphones.follow([participant('a', { gain: 6 })]))
    studio.at(2500, () => void studio.microphones.follow([participant('a', { gain: 6, isMuted: true })]))
    studio.at(3500, () => void studio.microphones.follow([participant('a', { gain: 6 })]))
    const { said, music } = studio.listen(4500)
    const level = (ms: number) => pitch(said, 1000, (ms * RATE) / 1000, RATE / 5)
    t.ok(Math.abs(level(1100) - 0.25) < 0.02)
    t.ok(Math.abs(level(2000) - 0.75) < 0.04)
    t.ok(level(2900) < 0.001)
    t.equal(music[(3300 * RATE) / 1000], 1, 'who is muted does not hold the music down')
    t.ok(Math.abs(level(3900) - 0.75) < 0.04)
  })

  t.test('has no rumble: frequencies below a voice are filtered out', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    studio.send('a', cut(await tone(40, 2), 2, 100), 100)
    const { said } = studio.listen(2500)
    const level = pitch(said, 40, 1.2 * RATE, RATE / 2)
    t.ok(level > 0.02 && level < 0.08, `level ${level}; it was 0.25`)
  })

  t.test('holds the music down while it is heard, and for a second when the line is cut', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    studio.send('a', cut(recording, SECONDS, 100).slice(0, 20), 100)
    const { said, music } = studio.listen(5000)
    const [[from, to]] = heardSpans(said) as [[number, number]]
    const gain = (ms: number) => music[Math.round((ms * RATE) / 1000)]!
    t.equal(gain(from - 10), 1)
    t.ok(Math.abs(gain(from + 100) - 0.55) < 0.06, 'half-way after 100 ms')
    t.ok(Math.abs(gain(from + 210) - 0.16) < 0.001)
    t.ok(Math.abs(gain(to + 950) - 0.16) < 0.001)
    t.equal(gain(to + 1250), 1)
    t.notOk(studio.microphones.mix(0, FRAME), 'the music passes as it is')
  })

  t.test('is not heard when it is off, nor when nobody of that name is on the air', async (t) => {
    const studio = await openStudio(t, [participant('a', { isMicOn: false })])
    studio.send('a', cut(recording, SECONDS, 100), 100)
    studio.send('stranger', cut(recording, SECONDS, 100), 100)
    t.equal(heardSpans(studio.listen(1000).said).length, 0)
    t.equal(studio.microphones.open, 0)
    await studio.microphones.follow([participant('a')])
    t.equal(studio.microphones.open, 1)
    studio.listen(1400)
    t.same(studio.asked, [{ socketId: 'a', atMs: 1100 }], 'a recording that was not heard from its beginning')
    await studio.microphones.follow([])
    t.equal(studio.microphones.open, 0)
  })

  t.test('falls silent within 5 ms when it is switched off in mid-word, without a click', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    studio.send('a', cut(recording, SECONDS, 100), 100)
    studio.at(2000, () => void studio.microphones.follow([participant('a', { isMicOn: false })]))
    const { said } = studio.listen(2500)
    const [[, to], ...others] = heardSpans(said) as [[number, number]]
    t.same(others, [])
    t.ok(to > 1870 && to < 1900, `heard until ${to} ms`)
    const end = Math.round((to * RATE) / 1000)
    const steps = [...said.subarray(end - 400, end + 400)].map((one, i) =>
      Math.abs(one - said[end - 401 + i]!),
    )
    const steepest = (0.25 * 2 * Math.PI * 1000) / RATE
    t.ok(Math.max(...steps) < steepest * 1.2, `a step of ${Math.max(...steps)}`)
    t.ok(peakOf(said.subarray(end - 300, end - 230)) > 0.2, 'until then it is as loud as ever')
    t.equal(studio.microphones.open, 0)
  })

  t.test('is asked for its header once a second at most, and heard as soon as that is there', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    const pieces = cut(recording, SECONDS, 100)
    const head = recording.subarray(0, recording.indexOf(Buffer.of(0x1f, 0x43, 0xb6, 0x75)))
    studio.send('a', pieces.slice(1, 25), 100)
    studio.at(2450, () => studio.microphones.receive({ socketId: 'a', bytes: head }))
    studio.send('a', pieces.slice(25), 100, 2500)
    const { said } = studio.listen(5000)
    t.same(
      studio.asked.map(({ atMs }) => atMs),
      [100, 1100, 2100],
    )
    const spans = heardSpans(said)
    t.equal(spans.length, 1)
    t.ok(spans[0]![1] - spans[0]![0] > 1300, 'it begins with the next block')
  })

  t.test('begins anew with each recording', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    const other = cut(await tone(400, 1), 1, 100)
    studio.send('a', [...cut(recording, SECONDS, 100).slice(0, 15), ...other], 100)
    const { said } = studio.listen(4000)
    const spans = heardSpans(said)
    t.equal(spans.length, 1)
    t.ok(Math.abs(spans[0]![1] - spans[0]![0] - 2500) < 80)
    t.ok(pitch(said, 400, Math.round(((spans[0]![1] - 500) * RATE) / 1000), RATE / 4) > 0.2)
  })

  t.test('catches up after a delay: late sound is dropped', async (t) => {
    const studio = await openStudio(t, [participant('a')])
    const long = await makeRecording('aevalsrc=0.125*sin(2*PI*(300*t+150*t*t)):s=48000', 6)
    const pieces = cut(long, 6, 100)
    for (const [i, bytes] of pieces.entries()) {
      const sentMs = (i + 1) * 100
      const isStalled = sentMs > 1000 && sentMs < 2000
      studio.at(isStalled ? 2000 : sentMs, () => studio.microphones.receive({ socketId: 'a', bytes }))
    }
    const { said } = studio.listen(6000)
    // A pitch that rises by 300 Hz a second tells what is heard when.
    const hz = (ms: number) => 300 + 300 * (ms / 1000)
    const delay = (atMs: number) => {
      const from = Math.round((atMs * RATE) / 1000)
      const delays = Array.from({ length: 150 }, (_, i) => i * 10)
      const strengths = delays.map((d) => pitch(said, hz(atMs + 25 - d), from, RATE / 20))
      return delays[strengths.indexOf(Math.max(...strengths))]!
    }
    t.ok(delay(900) <= 350, `${delay(900)} ms before`)
    t.ok(delay(2500) >= 700, `${delay(2500)} ms right after it`)
    t.ok(delay(5500) <= 450, `${delay(5500)} ms some seconds later`)
  })
})

t.test('two at once are one sound, which is never louder than its ceiling', async (t) => {
  const studio = await openStudio(t, [participant('a'), participant('b', { role: 'guest' })])
  studio.send('a', cut(await tone(500, 2), 2, 100), 100)
  studio.send('b', cut(await tone(1500, 2), 2, 250), 250)
  studio.at(
    1500,
    () => void studio.microphones.follow([participant('a', { gain: 7 }), participant('b', { gain: 7 })]),
  )
  const { said } = studio.listen(3000)
  const level = (hz: number, ms: number) => pitch(said, hz, (ms * RATE) / 1000, RATE / 5)
  t.ok(Math.abs(level(500, 1000) - 0.25) < 0.02)
  t.ok(Math.abs(level(1500, 1000) - 0.25) < 0.02)
  const loudest = peakOf(said) * 32_767
  t.ok(loudest <= SPEECH_CEILING + 1 && loudest > SPEECH_CEILING * 0.9, `loudest ${loudest}`)
  t.ok(level(500, 1700) / level(1500, 1700) > 0.9, 'both get softer alike')
})

t.test('no input breaks anything: others are heard, and valid sound is heard again', async (t) => {
  const SECONDS = 6
  const good = cut(await tone(700, SECONDS), SECONDS, 100)
  let seed = 20
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
  const faults: ((piece: Buffer) => Buffer[])[] = [
    () => [],
    (piece) => [piece, piece],
    () => [noise(800)],
    (piece) => [piece, noise(300)],
    (piece) => [piece.subarray(0, Math.floor(random() * piece.length))],
    (piece) => {
      const broken = Buffer.from(piece)
      for (let i = 0; i < 5; i++) broken[Math.floor(random() * broken.length)] = Math.floor(random() * 256)
      return [broken]
    },
    (piece) => [noise(400 * 1024), piece],
    () => [Buffer.alloc(0)],
    () => [Buffer.alloc(3000, 0xa3)],
    () => [Buffer.of(0x1f, 0x43, 0xb6, 0x75, 0x08, 0xff, 0xff, 0xff, 0xff)],
  ]
  const studio = await openStudio(t, [participant('bad'), participant('good')])
  const bad = cut(await tone(2000, SECONDS), SECONDS, 100)
  const [head = Buffer.alloc(0), ...rest] = bad
  studio.send('good', good, 100)
  studio.send('bad', [head], 100)
  for (const [i, piece] of rest.entries()) {
    const fault = i < 40 && random() < 0.4 ? faults[Math.floor(random() * faults.length)] : null
    for (const bytes of fault?.(piece) ?? [piece])
      studio.at(200 + i * 100, () => studio.microphones.receive({ socketId: 'bad', bytes }))
  }
  const { said } = studio.listen(6000)
  for (let ms = 500; ms < 5800; ms += 100) {
    const level = pitch(said, 700, (ms * RATE) / 1000, RATE / 10)
    if (level < 0.1) t.fail(`the good one is not heard at ${ms} ms: ${level}`)
  }
  t.ok(pitch(said, 2000, Math.round(5.4 * RATE), RATE / 4) > 0.2, 'the other one is heard again')
  t.ok(peakOf(said) * 32_767 <= SPEECH_CEILING + 1)
})

t.test('a sender of far too much sound costs little, and its newest part is heard', async (t) => {
  const decoded = countDecoded(t)
  const studio = await openStudio(t, [participant('a')])
  const minutes = cut(await tone(900, 120), 120, 250)
  studio.at(100, () => {
    for (const bytes of minutes) studio.microphones.receive({ socketId: 'a', bytes })
  })
  const { said } = studio.listen(8000)
  // Of 6000 packets of 20 ms; decoding is by far the dearest of what is done with them.
  t.ok(decoded() > 0 && decoded() <= 110, `${decoded()} packets are decoded`)
  const lasted = heardSpans(said).reduce((sum, [from, to]) => sum + to - from, 0)
  t.ok(lasted > 500 && lasted <= 2050, `${lasted} ms are heard of two minutes`)
})
