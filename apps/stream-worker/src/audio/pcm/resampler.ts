/** 48 kHz to 44.1 kHz is 160 samples to 147. */
const UP = 147
const DOWN = 160
/** Samples of the input that make one of the output. */
const TAPS = 48
/** The filter is at half its strength here, as a part of the input's rate: what is above 22 kHz would come back mirrored. */
const CUTOFF = 20_500 / 48_000
/** Kaiser window: what is stopped is 80 dB down. */
const BETA = 7.86

const filters = makeFilters()

/** Turns a stream of samples at 48 kHz into one at 44.1 kHz, half a millisecond later. */
export function createResampler(): (samples: Float32Array) => Float32Array {
  let held = new Float32Array(TAPS - 1)
  /** In `held`, where the filter of the next output sample begins; and how far behind it that one lies, in 1/147. */
  let at = 0
  let phase = 0
  return (samples) => {
    const input = new Float32Array(held.length + samples.length)
    input.set(held)
    input.set(samples, held.length)
    const output = new Float32Array(Math.ceil((input.length * UP) / DOWN) + 1)
    let count = 0
    while (at + TAPS <= input.length) {
      const filter = filters[phase]!
      let sum = 0
      for (let i = 0; i < TAPS; i++) sum += filter[i]! * input[at + i]!
      output[count++] = sum
      phase += DOWN
      at += Math.floor(phase / UP)
      phase %= UP
    }
    const from = Math.min(at, input.length)
    held = input.slice(from)
    at -= from
    return output.subarray(0, count)
  }
}

/** A windowed sinc for each place between two samples. */
function makeFilters(): Float32Array[] {
  const middle = TAPS / 2 - 1
  return Array.from({ length: UP }, (_, phase) => {
    const weights = Array.from({ length: TAPS }, (_, i) => {
      const x = i - middle - phase / UP
      const sinc = x === 0 ? 2 * CUTOFF : Math.sin(2 * Math.PI * CUTOFF * x) / (Math.PI * x)
      const edge = Math.max(0, 1 - (x / (TAPS / 2)) ** 2)
      return (sinc * bessel(BETA * Math.sqrt(edge))) / bessel(BETA)
    })
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return Float32Array.from(weights, (weight) => weight / sum)
  })
}

/** The modified Bessel function of the first kind, of order zero. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
