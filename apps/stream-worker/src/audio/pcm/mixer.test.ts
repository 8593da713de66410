import t from 'tap'
import { createLimiter, createMixer, type Fade, gainAt } from './mixer.ts'
import { PcmRing } from './ring.ts'

const mix = createMixer()
const silence = () => new Int16Array(16)
const noise = () => Int16Array.from({ length: 16 }, (_, i) => ((i * 7919 + 13) % 65_536) - 32_768)

t.test('nothing is silence, also over what was in the block before', async (t) => {
  const block = noise()
  mix([], block, 2, 4, 1000)
  t.strictSame([...block.subarray(4, 12)], Array(8).fill(0))
  t.strictSame([...block.subarray(0, 4)], [...noise().subarray(0, 4)], 'only the span asked for is written')
})

t.test('a sound alone at full loudness passes bit by bit, also after its fade', async (t) => {
  const over: Fade = { direction: 'in', from: 0, length: 100, level: 1 }
  for (const fade of [null, over]) {
    const block = silence()
    mix([{ samples: noise(), fade }], block, 0, 8, 100)
    t.strictSame([...block], [...noise()])
  }
})

t.test('sounds add up and are limited to 16 bits', async (t) => {
  const block = silence()
  const loud = { samples: new Int16Array(16).fill(30_000), fade: null }
  const quiet = { samples: new Int16Array(16).fill(-40), fade: null }
  mix([loud, quiet], block, 0, 4, 0)
  mix([loud, loud], block, 4, 4, 4)
  t.strictSame([...block], [...Array(8).fill(29_960), ...Array(8).fill(32_767)])
})

t.test('a crossfade keeps the power: the squares of both gains add up to one all along', async (t) => {
  const fadeOut: Fade = { direction: 'out', from: 500, length: 1000, level: 1 }
  const fadeIn: Fade = { ...fadeOut, direction: 'in' }
  for (let at = 400; at < 1600; at += 37) {
    t.ok(Math.abs(gainAt(fadeOut, at) ** 2 + gainAt(fadeIn, at) ** 2 - 1) < 1e-9)
  }
  t.equal(gainAt(fadeOut, 500), 1)
  t.equal(gainAt(fadeIn, 1500), 1)
  const block = silence()
  mix([{ samples: noise(), fade: fadeOut }], block, 0, 8, 1500)
  t.strictSame([...block], [...silence()], 'what has faded out is silent')
})

t.test('a ring gives back what was written, however it was cut, and silence for the rest', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 31) % 251))
  const written = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const ring = new PcmRing(100, 5000)
  const heard: number[] = []
  const into = new Int16Array(80)
  let at = 0
  for (let turn = 0; heard.length < written.length; turn++) {
    const length = Math.min(1 + ((turn * 37) % 90), ring.roomBytes, bytes.length - at)
    ring.write(bytes.subarray(at, at + length))
    at += length
    const count = Math.min(40, ring.end - ring.start)
    const position = ring.start
    ring.read(position, count, into, 0)
    ring.release(position + count)
    heard.push(...into.subarray(0, count * 2))
  }
  t.strictSame(heard, [...written])
  t.equal(ring.end, 6000)
  t.throws(() => ring.write(Buffer.alloc(401)), RangeError)

  ring.write(Buffer.from([1, 0, 2, 0, 9, 9]))
  t.equal(ring.end, 6001, 'half a sample does not count yet')
  ring.dropPartial()
  ring.write(Buffer.from([3, 0, 4, 0]))
  ring.read(5999, 4, into, 0)
  t.strictSame([...into.subarray(0, 8)], [0, 0, 1, 2, 3, 4, 0, 0])
})

const FULL = 32_767
/** Both channels of a sine, as a limiter is given it. */
function sine(amplitude: number, hz: number, count: number, from = 0): Float32Array {
  return Float32Array.from({ length: count * 2 }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * (from + (i >> 1))) / 44_100)),
  )
}

t.test('the limiter does not touch what fits, and never lets anything beyond full scale', async (t) => {
  const limiter = createLimiter()
  const block = new Int16Array(2304)
  for (const amplitude of [0, 300, 20_000, FULL]) {
    const sum = sine(amplitude, 441, 1152)
    limiter.limit(sum, block, 0, 2304)
    t.strictSame([...block], [...sum])
    t.ok(limiter.isIdle)
  }
  for (const [amplitude, hz] of [
    [9 * FULL, 60],
    [40_000, 1500],
    [9 * FULL, 19_000],
  ] as const) {
    for (let at = 0; at < 20; at++) {
      const sum = sine(amplitude, hz, 1152, at * 1152)
      limiter.limit(sum, block, 0, 2304)
      t.ok(block.every((sample) => Math.abs(sample) <= FULL))
      const wrong = [...block].findIndex((sample, i) => sample * sum[i]! < 0)
      t.equal(wrong, -1, 'every sample keeps its sign')
    }
    t.ok(Math.max(...block) > 0.99 * FULL, 'it gets no softer than it has to')
  }
})

t.test('the limiter falls ahead of a peak, and is as before a second behind it', async (t) => {
  const limiter = createLimiter()
  const block = new Int16Array(2304)
  const sum = new Float32Array(2304).fill(10_000)
  sum[1200] = 9 * FULL
  limiter.limit(sum, block, 0, 2304)
  const left = block.filter((_, i) => i % 2 === 0)
  t.equal(left[600], FULL)
  t.ok(left.slice(0, 300).every((sample) => sample === 10_000))
  const steps = left.slice(300, 600).map((sample, i, all) => (i ? all[i - 1]! - sample : 0))
  t.ok(
    steps.every((step) => step >= 0 && step < 200),
    'without a step',
  )
  t.ok(left[599]! < 10_000 / 8.5, 'and has fallen when the peak comes')
  const quiet = sine(8_000, 441, 1152)
  for (let at = 0; at < 39; at++) limiter.limit(quiet, block, 0, 2304)
  t.strictSame([...block], [...quiet])
  t.ok(limiter.isIdle)
})

t.test('behind a peak the limiter lets go slowly: the gain doubles in a tenth of a second', async (t) => {
  const limiter = createLimiter()
  const block = new Int16Array(2304)
  const peak = new Float32Array(2304).fill(4 * FULL)
  limiter.limit(peak, block, 0, 2304)
  const tone = new Float32Array(2304).fill(1_000)
  const heard: number[] = []
  while (heard.length < 4410) {
    limiter.limit(tone, block, 0, 2304)
    heard.push(...block.filter((_, i) => i % 2 === 0))
  }
  t.ok(Math.abs(heard[0]! - 250) <= 1, 'at first a quarter')
  t.ok(Math.abs(heard[2205]! - 250 * Math.SQRT2) <= 2)
  t.ok(Math.abs(heard[4409]! - 500) <= 2, 'a half after 4410 samples')
})

t.test('a phrase is mixed in at nine times its level over a track whose level stays the same', async (t) => {
  const mix = createMixer()
  const music = Int16Array.from({ length: 16 }, (_, i) => i * 100)
  const phrase = Int16Array.from({ length: 16 }, (_, i) => i * -20)
  const block = silence()
  mix(
    [
      { samples: music, fade: null },
      { samples: phrase, fade: null, gain: 9 },
    ],
    block,
    0,
    8,
    0,
  )
  t.strictSame(
    [...block],
    [...music].map((sample, i) => sample - i * 180),
  )
})
