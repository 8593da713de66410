import { SAMPLE_RATE } from '@solstice/station'

/** Peak level of speech; full scale is 32 767. */
export const MICROPHONE_CEILING = 26_000
const ATTACK_SAMPLES = Math.round(0.005 * SAMPLE_RATE)
const RELEASE = 1 - Math.exp(-1 / (0.12 * SAMPLE_RATE))
const NEARLY_FULL = 0.999

/** Keeps speech below the ceiling. Delays it by 5 ms, the time over which the gain falls before a peak. */
export interface MicrophoneLimiter {
  /** Limits samples `from` to `from + count` in place. Spans must be passed in order. */
  limit(samples: Float32Array, from: number, count: number): void
  /** True when silent input gives silent output: nothing is left in the delay. */
  readonly isIdle: boolean
}

/**
 * Takes the gain that each sample allows, the minimum of it over the attack, which rises slowly again (release), and of
 * that the mean over the attack, so that the gain is down when the peak comes and never jumps.
 */
export function createMicrophoneLimiter(): MicrophoneLimiter {
  const delayed = new Float32Array(ATTACK_SAMPLES)
  const held = new Float64Array(ATTACK_SAMPLES).fill(1)
  /** Falling gains of the last samples, with the sample at which each ends to count; a ring. */
  const least = new Float64Array(ATTACK_SAMPLES + 1)
  const endsAt = new Float64Array(ATTACK_SAMPLES + 1)
  let head = 0
  let size = 0
  let now = 0
  let gain = 1
  let sum = ATTACK_SAMPLES
  let silent = ATTACK_SAMPLES

  function leastOf(allowed: number): number {
    while (size > 0 && endsAt[head]! <= now) {
      head = (head + 1) % least.length
      size--
    }
    while (size > 0 && least[(head + size - 1) % least.length]! >= allowed) size--
    const at = (head + size++) % least.length
    least[at] = allowed
    endsAt[at] = now + ATTACK_SAMPLES
    return least[head]!
  }

  return {
    get isIdle() {
      return silent >= ATTACK_SAMPLES && gain > NEARLY_FULL
    },
    limit(samples, from, count) {
      for (let i = from; i < from + count; i++) {
        const sample = samples[i]!
        silent = sample === 0 ? silent + 1 : 0
        const allowed = leastOf(Math.min(1, MICROPHONE_CEILING / Math.abs(sample)))
        gain = allowed < gain ? allowed : gain + (allowed - gain) * RELEASE
        const slot = now % ATTACK_SAMPLES
        sum += gain - held[slot]!
        held[slot] = gain
        const out = delayed[slot]! * Math.min(1, sum / ATTACK_SAMPLES)
        delayed[slot] = sample
        samples[i] = Math.max(-MICROPHONE_CEILING, Math.min(MICROPHONE_CEILING, out))
        now++
      }
    },
  }
}
