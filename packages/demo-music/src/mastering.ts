import type { Stereo } from './effects.ts'
import { SAMPLE_RATE } from './instruments.ts'

/** Samples that share one step of the limiter. */
const STEP = 64

/**
 * Brings a mix to a loudness, keeps its peaks under the ceiling, opens its heights and takes away what is below hearing.
 *
 * @param target integrated loudness, LUFS.
 * @param ceiling highest sample, 0 to 1; MP3 may overshoot it a little.
 * @param airDb how much is added above 2.5 kHz.
 */
export function master(mix: Stereo, target: number, ceiling: number, airDb: number): void {
  for (const channel of [mix.left, mix.right]) {
    filter(channel, channel, highPass(32, 0.7))
    filter(channel, channel, shelf(2_500, 0.6, airDb))
  }
  // The limiter takes a little of the loudness: the second round gives it back.
  for (let round = 0; round < 2; round++) {
    scale(mix, 10 ** ((target - loudness(mix)) / 20))
    limit(mix, ceiling)
  }
}

/** Lets the sound rise at the beginning and fall at the end. */
export function fade(mix: Stereo, inS: number, outS: number): void {
  const rise = Math.round(inS * SAMPLE_RATE)
  const fall = Math.round(outS * SAMPLE_RATE)
  for (const channel of [mix.left, mix.right]) {
    for (let i = 0; i < rise; i++) channel[i]! *= Math.sin((Math.PI / 2) * (i / rise))
    for (let i = 0; i < fall; i++) {
      const left = i / fall
      channel[channel.length - 1 - i]! *= left * left * (3 - 2 * left)
    }
  }
}

/** Integrated loudness in LUFS by ITU-R BS.1770-4: K-weighted, blocks of 400 ms, gated at −70 LUFS and at −10 LU. */
export function loudness(mix: Stereo): number {
  const hop = SAMPLE_RATE / 10
  const count = Math.floor(mix.left.length / hop)
  const energies = new Float64Array(count)
  const weighted = new Float32Array(mix.left.length)
  for (const channel of [mix.left, mix.right]) {
    filter(channel, weighted, shelf(1681.974450955533, 0.7071752369554196, 3.999843853973347))
    filter(weighted, weighted, highPass(38.13547087602444, 0.5003270373238773))
    for (let n = 0; n < count; n++) {
      let sum = 0
      for (let i = n * hop; i < (n + 1) * hop; i++) sum += weighted[i]! * weighted[i]!
      energies[n]! += sum / hop
    }
  }
  const blocks = Array.from({ length: Math.max(0, count - 3) }, (_, n) =>
    mean([energies[n]!, energies[n + 1]!, energies[n + 2]!, energies[n + 3]!]),
  )
  const heard = blocks.filter((energy) => inLufs(energy) > -70)
  const gate = inLufs(mean(heard)) - 10
  return inLufs(mean(heard.filter((energy) => inLufs(energy) > gate)))
}

/** Turns down what would be above the ceiling: a little before it comes, and back slowly. */
function limit({ left, right }: Stereo, ceiling: number): void {
  const count = Math.ceil(left.length / STEP)
  const needed = new Float32Array(count)
  for (let n = 0; n < count; n++) {
    let peak = ceiling
    const end = Math.min(left.length, (n + 1) * STEP)
    for (let i = n * STEP; i < end; i++) peak = Math.max(peak, Math.abs(left[i]!), Math.abs(right[i]!))
    needed[n] = ceiling / peak
  }
  // Downwards within about 10 ms before the peak, upwards within about 200 ms after it.
  const gains = needed.slice()
  for (let n = count - 2; n >= 0; n--) gains[n] = Math.min(gains[n]!, gains[n + 1]! * 1.08)
  for (let n = 1; n < count; n++) gains[n] = Math.min(gains[n]!, gains[n - 1]! * 1.004)
  for (let n = 0; n < count; n++) {
    const before = Math.min(gains[n]!, gains[n - 1] ?? 1)
    const after = Math.min(gains[n]!, gains[n + 1] ?? 1)
    if (before === 1 && after === 1) continue
    const end = Math.min(left.length, (n + 1) * STEP)
    for (let i = n * STEP; i < end; i++) {
      const gain = before + ((after - before) * (i - n * STEP)) / STEP
      left[i]! *= gain
      right[i]! *= gain
    }
  }
}

type Biquad = [b0: number, b1: number, b2: number, a1: number, a2: number]

function filter(input: Float32Array, output: Float32Array, [b0, b1, b2, a1, a2]: Biquad): void {
  let x1 = 0
  let x2 = 0
  let y1 = 0
  let y2 = 0
  for (let i = 0; i < input.length; i++) {
    const x = input[i]!
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
    output[i] = y
  }
}

function highPass(hz: number, q: number): Biquad {
  const k = Math.tan((Math.PI * hz) / SAMPLE_RATE)
  const a0 = 1 + k / q + k * k
  return [1 / a0, -2 / a0, 1 / a0, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}

/** Lifts what is above a frequency; the form in which BS.1770 gives its first filter, for any sample rate. */
function shelf(hz: number, q: number, db: number): Biquad {
  const k = Math.tan((Math.PI * hz) / SAMPLE_RATE)
  const high = 10 ** (db / 20)
  const middle = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return [
    (high + (middle * k) / q + k * k) / a0,
    (2 * (k * k - high)) / a0,
    (high - (middle * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0,
  ]
}

function scale({ left, right }: Stereo, gain: number): void {
  for (let i = 0; i < left.length; i++) {
    left[i]! *= gain
    right[i]! *= gain
  }
}

function mean(values: number[]): number {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0
}

function inLufs(energy: number): number {
  return energy > 0 ? -0.691 + 10 * Math.log10(energy) : Number.NEGATIVE_INFINITY
}
