import { RATE } from './broadcasts.ts'

/** The sine of this pitch that fits best to a second of sound. */
function fit(samples: Float32Array, hz: number, from: number, count = RATE / 2) {
  const w = (2 * Math.PI * hz) / RATE
  let sin = 0
  let cos = 0
  for (let i = from; i < from + count; i++) {
    sin += samples[i]! * Math.sin(w * i)
    cos += samples[i]! * Math.cos(w * i)
  }
  return { w, sin: (2 * sin) / count, cos: (2 * cos) / count }
}

/** How far the sound departs from one unbroken sine; a sample lost or a click shows. */
export function deviation(samples: Float32Array, hz: number, from: number, to: number): number {
  const { w, sin, cos } = fit(samples, hz, from)
  let largest = 0
  for (let i = from; i < to; i++) {
    largest = Math.max(largest, Math.abs(samples[i]! - sin * Math.sin(w * i) - cos * Math.cos(w * i)))
  }
  return largest
}

/** The pitch of a tone, as often as it rises above zero in a window of samples; NaN in silence. */
export function pitchOf(samples: Float32Array): number {
  const rises: number[] = []
  for (let i = 1; i < samples.length; i++) {
    const [before, now] = [samples[i - 1]!, samples[i]!]
    if (before < 0 && now >= 0) rises.push(i - now / (now - before))
  }
  return ((rises.length - 1) * RATE) / (rises.at(-1)! - rises[0]!)
}

/** By how many samples a tone begins elsewhere than at `start`, told from its phase in the sound after it. */
export function startError(samples: Float32Array, hz: number, start: number): number {
  const { w, sin, cos } = fit(samples, hz, start + RATE / 4)
  const period = RATE / hz
  const error = (((-Math.atan2(cos, sin) / w - start) % period) + period) % period
  return Math.min(error, period - error)
}
