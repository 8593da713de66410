import t from 'tap'
import { bestSample, type ClockSample, fitClock, offsetAt, offsetMs } from './clock-fit.ts'
import { withSample } from './station-clock.ts'

/** Repeatable chance, 0 to 1. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const OFFSET_MS = 50_000

/** An exchange over a network that delays each way by `outMs` and `backMs`, with clocks that drift apart. */
function exchange(atMs: number, outMs: number, backMs: number, drift = 0): ClockSample {
  const serverMs = atMs + outMs + OFFSET_MS + drift * (atMs + outMs)
  return { sentMs: atMs, serverMs, receivedMs: atMs + outMs + backMs }
}

t.test('the station’s clock is read from the exchange with the smallest round trip', async (t) => {
  const slow = { sentMs: 1000, serverMs: 51_900, receivedMs: 2000 }
  const quick = { sentMs: 3000, serverMs: 53_020, receivedMs: 3040 }
  const samples = withSample(withSample([], slow), quick)
  t.equal(bestSample(samples), quick)
  t.equal(offsetMs(quick), 50_000)
  t.equal(bestSample([]), null)
  t.equal(fitClock([]), null)
  const late = { sentMs: 300_000, serverMs: 350_500, receivedMs: 301_000 }
  t.same(withSample(samples, late), [late], 'old samples are forgotten, however good')
})

t.test(
  'a local clock that stood still, or a station’s that was set, is noticed by one exchange',
  async (t) => {
    const before = [0, 1000, 2000].reduce<ClockSample[]>((all, at) => withSample(all, exchange(at, 5, 5)), [])
    t.equal(before.length, 3)
    const slept = { ...exchange(3000, 5, 5), serverMs: 3005 + OFFSET_MS + 400 }
    t.same(withSample(before, slept), [slept])
  },
)

t.test('drift, jitter and lopsided delays: two clocks are known to 2 ms for minutes', async (t) => {
  for (const drift of [-100e-6, 0, 100e-6]) {
    const chance = dice(7)
    let samples: ClockSample[] = []
    let worstMs = 0
    for (let atMs = 0; atMs < 600_000; atMs += 8000) {
      // One exchange in three waits in a full queue, one way only.
      const queueMs = chance() < 0.33 ? 120 * chance() : 0
      samples = withSample(samples, exchange(atMs, 2 + chance() + queueMs, 2 + chance(), drift))
      const trueMs = OFFSET_MS + drift * (atMs + 4000)
      const errorMs = Math.abs(offsetAt(fitClock(samples)!, atMs + 4000) - trueMs)
      if (atMs > 90_000) worstMs = Math.max(worstMs, errorMs)
    }
    t.ok(worstMs < 2, `${drift * 1e6} ppm: at most ${worstMs.toFixed(2)} ms off`)
  }
})

t.test('a few seconds of exchanges give no drift, and an absurd one is bounded', async (t) => {
  const first = [0, 120, 240].map((at) => exchange(at, 1, 1, 0.01))
  t.equal(fitClock(first)!.drift, 0)
  const wild = Array.from({ length: 12 }, (_, i) => exchange(i * 16_000, 1, 1, 0.001))
  t.equal(fitClock(wild)!.drift, 200e-6)
})
