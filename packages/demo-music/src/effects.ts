import { SAMPLE_RATE } from './instruments.ts'

export interface Stereo {
  left: Float32Array
  right: Float32Array
}

/** Works on the samples from `from` to `to`; called for one stretch after the other. */
export type Effect = (from: number, to: number) => void

/** An echo that goes from side to side, darker each time. Adds to `out` and, a little, to `reverb`. */
export function echo(input: Float32Array, out: Stereo, reverb: Float32Array, delayS: number): Effect {
  const length = Math.round(delayS * SAMPLE_RATE)
  const lines = [new Float32Array(length), new Float32Array(length)] as const
  const feedback = 0.42
  let at = 0
  let dark = 0
  return (from, to) => {
    const [near, far] = lines
    for (let i = from; i < to; i++) {
      const first = near[at]!
      const second = far[at]!
      dark += 0.32 * (second - dark)
      near[at] = input[i]! + feedback * dark
      far[at] = first
      out.left[i]! += 0.55 * first
      out.right[i]! += 0.55 * second
      reverb[i]! += 0.3 * (first + second)
      at = at + 1 === length ? 0 : at + 1
    }
  }
}

/** Lengths without a common factor, so that the echoes of the lines do not fall together. */
const LINES = [1423, 1787, 2063, 2281, 2551, 2861, 3137, 3499]

/** A room: eight delay lines that feed each other (Jot's feedback delay network). Adds to `out`. */
export function room(input: Float32Array, out: Stereo, seconds: number, brightness: number): Effect {
  const before = Math.round(0.018 * SAMPLE_RATE)
  const lines = LINES.map((length) => new Float32Array(length))
  const gains = LINES.map((length) => 10 ** ((-3 * length) / (seconds * SAMPLE_RATE)))
  const places = LINES.map(() => 0)
  const damped = new Float32Array(LINES.length)
  return (from, to) => {
    for (let i = from; i < to; i++) {
      const entering = i >= before ? 0.35 * input[i - before]! : 0
      let sum = 0
      let left = 0
      let right = 0
      for (let n = 0; n < 8; n++) {
        const coming = lines[n]![places[n]!]!
        const value = damped[n]! + brightness * (coming - damped[n]!)
        damped[n] = value
        sum += value
        if (n % 2 === 0) left += n % 4 === 0 ? value : -value
        else right += n % 4 === 1 ? value : -value
      }
      // Householder: every line gets its own sound less a quarter of all; nothing is lost, nothing grows.
      const shared = sum * 0.25
      for (let n = 0; n < 8; n++) {
        const place = places[n]!
        const line = lines[n]!
        line[place] = gains[n]! * (damped[n]! - shared) + (n < 4 ? entering : -entering)
        places[n] = place + 1 === line.length ? 0 : place + 1
      }
      out.left[i]! += left
      out.right[i]! += right
    }
  }
}
