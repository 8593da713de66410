import t from 'tap'
import { createMicrophoneLimiter } from './limiter.ts'

const RATE = 44_100

/** Two decibels below full scale, so that music fits beside speech. */
const SPEECH_CEILING = 26_000

t.test('the limiter softens ahead of a peak and lets go slowly; all below its ceiling passes', async (t) => {
  const limiter = createMicrophoneLimiter()
  const samples = Float32Array.from({ length: RATE }, (_, i) => {
    const peak = i >= 4410 && i < 8820 ? 100_000 : 10_000
    return peak * Math.sin((2 * Math.PI * 441 * i) / RATE)
  })
  limiter.limit(samples, 0, RATE)
  const loudest = (from: number, to: number) => Math.max(...samples.subarray(from, to).map(Math.abs))
  t.ok(loudest(0, RATE) <= SPEECH_CEILING)
  t.ok(loudest(5000, 8800) > SPEECH_CEILING * 0.95)
  t.ok(Math.abs(loudest(2000, 4200) - 10_000) < 100, 'before it')
  t.ok(loudest(9100, 9500) < 4500, 'still soft right behind it')
  t.ok(Math.abs(loudest(40_000, RATE) - 10_000) < 300, 'as it was, some time later')
  limiter.limit(samples.fill(0), 0, RATE)
  t.ok(limiter.isIdle)
})
