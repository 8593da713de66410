/** Samples on each side of a position that its value is made from. */
const HALF_TAPS = 16
/** Positions between two samples for which weights are held; between those they are interpolated. */
const PHASES = 256

/** Windowed sinc, one row of weights per phase, and one more row so that each has a next one. */
const weights = makeWeights()

/**
 * Reads `count` samples from `at` on as `into.length` samples, a little slower or faster. It begins and ends on whole samples, so
 * that plain copies may come before and after it.
 */
export function stretch(samples: Float32Array, at: number, count: number, into: Float32Array): void {
  const step = count / into.length
  const taps = 2 * HALF_TAPS
  for (let i = 0; i < into.length; i++) {
    const position = at + i * step
    const whole = Math.floor(position)
    const phase = (position - whole) * PHASES
    const row = Math.floor(phase)
    const part = phase - row
    const first = whole - HALF_TAPS + 1
    const here = row * taps
    let value = 0
    for (let tap = 0; tap < taps; tap++) {
      const low = weights[here + tap]!
      const weight = low + part * (weights[here + taps + tap]! - low)
      value += weight * (samples[first + tap] ?? 0)
    }
    into[i] = value
  }
}

function makeWeights(): Float32Array {
  const taps = 2 * HALF_TAPS
  const table = new Float32Array((PHASES + 1) * taps)
  for (let phase = 0; phase <= PHASES; phase++) {
    for (let tap = 0; tap < taps; tap++) {
      const x = tap - HALF_TAPS + 1 - phase / PHASES
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
      const window = Math.abs(x) >= HALF_TAPS ? 0 : Math.cos((Math.PI * x) / (2 * HALF_TAPS)) ** 2
      table[phase * taps + tap] = sinc * window
    }
  }
  return table
}
