import { SAMPLE_RATE } from '@solstice/station'

/** A second-order Butterworth high-pass filter, as in the Audio EQ Cookbook; works in place. */
export function createHighPass(hz: number): (samples: Float32Array) => void {
  const w = (2 * Math.PI * hz) / SAMPLE_RATE
  const cos = Math.cos(w)
  const alpha = Math.sin(w) / Math.SQRT2
  const scale = 1 / (1 + alpha)
  const b0 = ((1 + cos) / 2) * scale
  const b1 = -2 * b0
  const a1 = -2 * cos * scale
  const a2 = (1 - alpha) * scale
  let s1 = 0
  let s2 = 0
  return (samples) => {
    for (let i = 0; i < samples.length; i++) {
      const x = samples[i]!
      const y = b0 * x + s1
      s1 = b1 * x - a1 * y + s2
      s2 = b0 * x - a2 * y
      samples[i] = y
    }
  }
}
