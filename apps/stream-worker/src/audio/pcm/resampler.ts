/** 48 kHz to 44.1 kHz: 160 samples become 147. */
const UP = 147
const DOWN = 160
/** Input samples that contribute to one output sample. */
const TAPS = 48
/** The filter's half-amplitude point as a fraction of the input rate: anything above 22 kHz would alias. */
const CUTOFF = 20_500 / 48_000
/** Kaiser window with 80 dB of stop-band attenuation. */
const BETA = 7.86

const filters = makeFilters()

/** Resamples a stream from 48 kHz to 44.1 kHz with a delay of half a millisecond. */
export function createResampler(): (samples: Float32Array) => Float32Array {
  let held = new Float32Array(TAPS - 1)
  /** The start of the next output sample's filter in `held`, and its fractional offset in units of 1/147. */
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

/** A windowed sinc for each phase between two samples. */
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

/** The zeroth-order modified Bessel function of the first kind. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
