import type { Loudness } from '@solstice/station'

/** Below −60 dB nobody is heard. */
const QUIET = 0.001
/** Enough digits for a meter, and short messages. */
const STEPS = 1000

/** Measures what one microphone gives to the mix, from reading to reading. */
export interface LoudnessMeter {
  /** Adds the first `count` samples, −1 to 1, as loud as `gain` makes them. */
  add(samples: Float32Array, count: number, gain: number): void
  /** Returns the loudness since the last reading; `samples`: how long ago that was. Pauses count as silence. */
  read(samples: number): Loudness
}

export function createLoudnessMeter(): LoudnessMeter {
  let peak = 0
  let sum = 0
  return {
    add(samples, count, gain) {
      for (let i = 0; i < count; i++) {
        const sample = Math.abs(samples[i]! * gain)
        if (sample > peak) peak = sample
        sum += sample * sample
      }
    },
    read(samples) {
      const isHeard = peak >= QUIET
      const heard = { peak: shown(peak), rms: shown(Math.sqrt(sum / samples)) }
      peak = 0
      sum = 0
      return isHeard ? heard : { peak: 0, rms: 0 }
    },
  }
}

const shown = (level: number) => Math.round(Math.min(1, level) * STEPS) / STEPS
