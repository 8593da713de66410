/** How much later the second of two recordings is at a moment of the first, in ms. */
export interface Offset {
  atS: number
  ms: number
}

const WINDOW_S = 1
const STEP_S = 0.5
const MAX_OFFSET_S = 0.5
/** Samples that are averaged into one: 0.08 ms apart at 48 kHz, and interpolated further. */
const DECIMATION = 4
/** A peak that doesn't stand out of the rest is chance. */
const MIN_CORRELATION = 0.3
const SILENT = 1e-4

/** The offsets of two recordings that began together, by cross-correlation of a second each; where one is silent, none. */
export function offsetsOf(first: Float32Array, second: Float32Array, hz: number): Offset[] {
  const [a, b, rate] = [decimated(first), decimated(second), hz / DECIMATION]
  const window = WINDOW_S * rate
  const margin = MAX_OFFSET_S * rate
  const size = 2 ** Math.ceil(Math.log2(window + 2 * margin + window))
  const found: Offset[] = []
  for (let at = margin; at + window + margin < Math.min(a.length, b.length); at += STEP_S * rate) {
    const own = a.subarray(at, at + window)
    const other = b.subarray(at - margin, at + window + margin)
    const peak = peakOf(correlation(own, other, size), 2 * margin)
    const strength =
      peak.value / Math.sqrt(energy(own) * energy(other.subarray(peak.index, peak.index + window)))
    if (strength > MIN_CORRELATION) found.push({ atS: at / rate, ms: ((peak.at - margin) / rate) * 1000 })
  }
  return found
}

/** Moments, in seconds, at which one recording is silent and the other isn't. */
export function dropouts(first: Float32Array, second: Float32Array, hz: number): number[] {
  const step = hz / 20
  const found: number[] = []
  for (let at = 0; at + step < Math.min(first.length, second.length); at += step) {
    const [a, b] = [energy(first.subarray(at, at + step)), energy(second.subarray(at, at + step))]
    if (Math.min(a, b) < SILENT * Math.max(a, b)) found.push(at / hz)
  }
  return found
}

const energy = (samples: Float32Array): number => samples.reduce((sum, sample) => sum + sample * sample, 0)

function decimated(samples: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / DECIMATION) }, (_, i) => {
    let sum = 0
    for (let j = 0; j < DECIMATION; j++) sum += samples[i * DECIMATION + j]!
    return sum / DECIMATION
  })
}

/** Entry `k` is how well `own` fits `other` from its sample `k` on. */
function correlation(own: Float32Array, other: Float32Array, size: number): Float64Array {
  const [ownRe, ownIm] = [padded(own, size), new Float64Array(size)]
  const [re, im] = [padded(other, size), new Float64Array(size)]
  transform(ownRe, ownIm)
  transform(re, im)
  for (let i = 0; i < size; i++) {
    const real = re[i]! * ownRe[i]! + im[i]! * ownIm[i]!
    im[i] = -(im[i]! * ownRe[i]! - re[i]! * ownIm[i]!)
    re[i] = real
  }
  // The transform of the conjugate is the conjugate of the inverse.
  transform(re, im)
  return re.map((value) => value / size)
}

/** The highest entry, and its place to a part of a sample. */
function peakOf(values: Float64Array, count: number): { index: number; at: number; value: number } {
  let index = 0
  for (let i = 1; i < count; i++) if (values[i]! > values[index]!) index = i
  const [before, value, after] = [values[index - 1] ?? 0, values[index]!, values[index + 1] ?? 0]
  const bend = before - 2 * value + after
  return { index, value, at: index + (bend === 0 ? 0 : (0.5 * (before - after)) / bend) }
}

function padded(samples: Float32Array, size: number): Float64Array {
  const all = new Float64Array(size)
  all.set(samples)
  return all
}

/** Fourier transform in place; the length is a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const size = re.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      ;[re[i], re[j]] = [re[j]!, re[i]!]
      ;[im[i], im[j]] = [im[j]!, im[i]!]
    }
  }
  for (let length = 2; length <= size; length <<= 1) {
    const half = length / 2
    const angle = (-2 * Math.PI) / length
    const [cos, sin] = [new Float64Array(half), new Float64Array(half)]
    for (let k = 0; k < half; k++) [cos[k], sin[k]] = [Math.cos(angle * k), Math.sin(angle * k)]
    for (let at = 0; at < size; at += length) {
      for (let k = 0; k < half; k++) {
        const [i, j] = [at + k, at + k + half]
        const real = re[j]! * cos[k]! - im[j]! * sin[k]!
        const imaginary = re[j]! * sin[k]! + im[j]! * cos[k]!
        re[j] = re[i]! - real
        im[j] = im[i]! - imaginary
        re[i] = re[i]! + real
        im[i] = im[i]! + imaginary
      }
    }
  }
}
