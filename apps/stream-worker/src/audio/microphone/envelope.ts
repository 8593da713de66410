/** Ramps that prevent clicks where audio starts, ends or skips. */
const EDGE_SAMPLES = 132
/** 5 ms, so that a word cut off falls silent without a click. */
const END_SAMPLES = 220
const FULL_SCALE = 32_767

/** The gain of one microphone, which never jumps. */
export interface Envelope {
  /** Number of samples still audible; Infinity while the microphone is on. */
  readonly remaining: number
  /** Fades in from the next sample on. */
  fadeIn(): void
  /** Fades out within 5 ms, because the microphone was switched off. */
  end(isHeard: boolean): void
  /**
   * Adds `count` samples to `into` at `from`, with the gain applied.
   *
   * @param isLast true when no samples follow, so these fade out.
   */
  add(
    samples: Float32Array,
    count: number,
    isLast: boolean,
    gain: number,
    into: Float32Array,
    from: number,
  ): void
}

export function createEnvelope(): Envelope {
  let fadingIn = 0
  let level: number | null = null
  let remaining = Infinity
  return {
    get remaining() {
      return remaining
    },
    fadeIn() {
      fadingIn = EDGE_SAMPLES
    },
    end(isHeard) {
      if (remaining === Infinity || !isHeard) remaining = isHeard ? END_SAMPLES : 0
    },
    add(samples, count, isLast, gain, into, from) {
      const fadingOut = isLast ? Math.min(EDGE_SAMPLES, count) : 0
      let current = level ?? gain
      for (let i = 0; i < count; i++) {
        current += (gain - current) / EDGE_SAMPLES
        let factor = current * FULL_SCALE
        if (fadingIn > 0) factor *= 1 - fadingIn-- / EDGE_SAMPLES
        if (count - i <= fadingOut) factor *= (count - i - 1) / EDGE_SAMPLES
        if (remaining !== Infinity) factor *= (remaining - i - 1) / END_SAMPLES
        into[from + i]! += samples[i]! * factor
      }
      level = current
      if (remaining !== Infinity) remaining = isLast ? 0 : remaining - count
    },
  }
}
