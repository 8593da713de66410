import t from 'tap'
import { air, NOON } from '../../../../../../tests/harness/air/radio-state.ts'
import { airingOf } from '../../timeline.ts'
import { RATE, type TrackSound } from './decoding/track-sound.ts'
import { type Due, expectedAfter } from './due.ts'
import type { Output } from './output.ts'
import { createPerformance } from './performance.ts'

/** Samples that an encoder puts before the sound. */
const DELAY = 1105
const LENGTH_S = 100

/** Sound that is scheduled: which samples, from which frame on. */
interface Scheduled {
  sound: TrackSound
  sample: number
  frame: number
  length: number
  isStopped: boolean
}

const end = LENGTH_S * RATE + DELAY
/** Samples that tell their own number. */
const channels = [new Float32Array(end).map((_, i) => i)]

function soundOf(): TrackSound {
  return {
    open() {},
    want() {},
    sampleAt: (positionS) => Math.round(positionS * RATE) + DELAY,
    pieceAt: (sample) => (sample >= 0 && sample < end ? { start: 0, end, channels, lead: 0 } : null),
    endsAt: () => end,
  }
}

/** An output on a clock of its own, which is also the local one, and two tracks, of which the second follows the first. */
function setUp() {
  const scheduled: Scheduled[] = []
  const fades: { at: number; isTakenBack: boolean }[] = []
  let nowS = 0
  let owner: TrackSound
  const createGain = () => ({
    gain: {
      value: 1,
      setValueAtTime() {},
      linearRampToValueAtTime() {},
      setTargetAtTime: (value: number, at: number) => value === 0 && fades.push({ at, isTakenBack: false }),
      cancelScheduledValues(from: number) {
        for (const fade of fades) if (fade.at >= from) fade.isTakenBack = true
      },
    },
    connect() {},
    disconnect() {},
  })
  const context = {
    get currentTime() {
      return nowS
    },
    createGain,
    createBuffer: (_: number, length: number) => {
      const samples = new Float32Array(length)
      return {
        length,
        samples,
        copyToChannel: (from: Float32Array) => samples.set(from),
        getChannelData: () => samples,
      }
    },
  }
  class Source {
    readonly own: Scheduled
    constructor(_: unknown, { buffer }: { buffer: { samples: Float32Array; length: number } }) {
      const { samples, length } = buffer
      this.own = { sound: owner, sample: samples[0]!, frame: 0, length, isStopped: false }
    }
    connect() {}
    disconnect() {}
    start(at: number) {
      this.own.frame = Math.round(at * RATE)
      scheduled.push(this.own)
    }
    stop() {
      this.own.isStopped = true
    }
  }
  Object.assign(globalThis, { AudioBufferSourceNode: Source })
  const output = {
    context,
    node: {},
    frame: () => Math.ceil(nowS * RATE),
    heardMs: (frame: number) => (1000 * frame) / RATE,
  } as unknown as Output
  const due = (startedAtS: () => number): Due => {
    const sound = soundOf()
    const pieceAt = (sample: number) => {
      owner = own
      return sound.pieceAt(sample)
    }
    const own = { ...sound, pieceAt }
    return { sound: own, positionS: (ms) => ms / 1000 - startedAtS(), gain: 1 }
  }
  const performance = createPerformance()
  return {
    performance,
    output,
    due,
    scheduled,
    fades,
    /** Lets time pass, with a step of the player four times a second. */
    pass(untilS: number, now: Due, next: Due | null) {
      for (; nowS < untilS; nowS += 0.25) {
        performance.proceed(now, output)
        performance.expect(next, output)
      }
    },
    at: (s: number) => {
      nowS = s
    },
    of: ({ sound }: Due) => scheduled.filter((one) => one.sound === sound),
  }
}

t.test('the next track begins at its first sample, when the one before ends', async (t) => {
  const { performance, output, due, pass, of, at } = setUp()
  const [now, next] = [due(() => 0), due(() => LENGTH_S)]
  at(95)
  pass(97.5, now, next)
  t.same(of(next), [], 'not long before')
  pass(100.15, now, next)
  t.match(of(next)[0], { sample: DELAY, frame: LENGTH_S * RATE, isStopped: false })
  t.equal(performance.proceed(now, output), 'playing', 'it sounds before the station says so')
  t.ok(performance.moveOn(next.sound))
  pass(110, next, null)
  for (const [i, one] of of(next).slice(0, -1).entries())
    t.equal(one.frame + one.length, of(next)[i + 1]!.frame, 'and goes on without a gap')
})

t.test('what was expected is taken back when another track comes, and the one on air goes on', async (t) => {
  const { due, pass, of, at, fades } = setUp()
  const [now, next, other] = [due(() => 0), due(() => LENGTH_S), due(() => LENGTH_S)]
  at(95)
  pass(99.5, now, next)
  t.same(fades, [{ at: LENGTH_S, isTakenBack: false }], 'the one on air makes way')
  pass(99.75, now, null)
  t.ok(fades[0]!.isTakenBack)
  t.ok(of(next).every(({ isStopped }) => isStopped))
  t.ok(of(now).every(({ isStopped }) => !isStopped))
  pass(100, now, other)
  t.match(of(other)[0], { sample: DELAY, frame: LENGTH_S * RATE })
})

t.test('a track that begins at another moment than expected, after a skip, begins anew', async (t) => {
  const { performance, due, pass, at } = setUp()
  let startedAtS = LENGTH_S
  const [now, next] = [due(() => 0), due(() => startedAtS)]
  at(95)
  pass(99.5, now, next)
  startedAtS = 99.4
  t.notOk(performance.moveOn(next.sound))
  startedAtS = LENGTH_S + 0.003
  t.ok(performance.moveOn(next.sound), 'a few milliseconds are corrected')
  t.notOk(performance.moveOn(next.sound), 'nothing more is expected')
})

t.test('a sound that comes too late for its beginning begins where it would be', async (t) => {
  const { due, pass, of, at } = setUp()
  const [now, next] = [due(() => 0), due(() => LENGTH_S)]
  at(95)
  pass(100.25, now, null)
  pass(100.5, now, next)
  const [first] = of(next)
  t.equal(first!.sample - DELAY, first!.frame - LENGTH_S * RATE)
  t.ok(first!.sample > DELAY)
})

t.test(
  'the next track is expected when the one on air ends, unless the mode may change before',
  async (t) => {
    const next = {
      id: 'day/b.mp3',
      title: 'B',
      artist: '',
      album: '',
      year: null,
      orderType: null,
      tier: null,
    }
    const state = { playlist: [next], duration: 100, seek: 40, nextGainDb: -2 }
    const after = (change = {}) => expectedAfter(airingOf(air({ ...state, ...change })))
    const expected = { track: next.id, startedAtMs: NOON + 60_000, gainDb: -2 }
    t.same(after(), expected)
    t.equal(after({ playlist: [] }), null)
    t.equal(after({ duration: 0 }), null)
    t.equal(after({ isPreparing: true, track: null, isPlaying: false }), null)
    const switching = (executeAtMs: number | null) => ({
      pendingModeSwitch: { targetMode: 'night', executeAtMs },
    })
    t.equal(after(switching(null)), null)
    t.equal(after(switching(NOON + 60_000)), null)
    t.same(after(switching(NOON + 60_001)), expected)
  },
)
