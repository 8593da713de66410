import { FRAME_SAMPLES } from '@solstice/station'

/** An equal-power fade: a quarter sine in, a quarter cosine out. */
export interface Fade {
  direction: 'in' | 'out'
  /** Sample of the broadcast at which the fade starts. */
  from: number
  /** Length in samples; afterwards the gain is `level` (in) or 0 (out). */
  length: number
  /** Gain at the loud end, 0 to 1: a fade may start while another is under way. */
  level: number
}

/** One sound in the mix. */
export interface Part {
  /** Interleaved stereo, as large as the mixed block. */
  samples: Int16Array
  fade: Fade | null
  /** Applied on top of the fade; default 1. */
  gain?: number
}

/** The microphones over all parts, indexed by sample of the block. */
export interface LiveAudio {
  /** The same for both channels; full scale is 32 767. */
  samples: Float32Array
  /** Gain of everything else at the time. */
  musicGain: Float32Array
}

/**
 * Mixes the parts into samples `from` to `from + count` of a block; `at` is the sample of the broadcast at `from`. Spans
 * must be passed in order.
 */
export type Mixer = (
  parts: readonly Part[],
  block: Int16Array,
  from: number,
  count: number,
  at: number,
  over?: LiveAudio | null,
) => void

/**
 * A mixer for blocks of up to one frame. A part that plays alone at full level passes unchanged, no parts give silence,
 * and a sum that would clip is limited (see `createLimiter`).
 */
export function createMixer(): Mixer {
  const sum = new Float32Array(FRAME_SAMPLES * 2)
  const limiter = createLimiter()
  return (parts, block, from, count, at, over = null) => {
    const start = from * 2
    const stop = (from + count) * 2
    const heard = parts.filter(({ fade }) => fade?.direction !== 'out' || !isOver(fade, at))
    const alone = heard.length === 1 && isPlain(heard[0]!, at) ? heard[0]! : null
    if (limiter.isIdle && alone && !over) {
      for (let i = start; i < stop; i++) block[i] = alone.samples[i]!
      return
    }
    sum.fill(0, start, stop)
    for (const part of heard) add(part, sum, start, stop, at)
    if (over) addLive(over, sum, start, stop)
    limiter.limit(sum, block, start, stop)
  }
}

/** Full scale, positive and negative. */
const FULL_SCALE = 32_767
/** The gain halves within the attack before a peak, and doubles within the release after it. */
const ATTACK_SAMPLES = 44
const RELEASE_SAMPLES = 4410
const ATTACK = 2 ** (1 / ATTACK_SAMPLES)
const RELEASE = 2 ** (1 / RELEASE_SAMPLES)

/**
 * Turns sums of sounds into 16-bit samples. Where a sum exceeds full scale, both channels get softer, as far ahead of
 * the peak as the span reaches, and slowly louder again after it. Everything else passes bit for bit.
 */
export function createLimiter(): {
  /** Indices of interleaved stereo, `start` and `stop` even. */
  limit(sum: Float32Array, block: Int16Array, start: number, stop: number): void
  /** True when nothing is being softened. */
  readonly isIdle: boolean
} {
  const allowed = new Float32Array(FRAME_SAMPLES)
  let gain = 1
  return {
    get isIdle() {
      return gain === 1
    },
    limit(sum, block, start, stop) {
      let most = 1
      let least = 1
      for (let i = stop - 2; i >= start; i -= 2) {
        const peak = Math.max(Math.abs(sum[i]!), Math.abs(sum[i + 1]!))
        most = Math.min(1, most * ATTACK, FULL_SCALE / peak)
        allowed[i / 2] = most
        least = Math.min(least, most)
      }
      if (gain === 1 && least === 1) {
        for (let i = start; i < stop; i++) block[i] = Math.round(sum[i]!)
        return
      }
      for (let i = start; i < stop; i += 2) {
        gain = Math.min(1, gain * RELEASE, allowed[i / 2]!)
        block[i] = within16Bits(sum[i]! * gain)
        block[i + 1] = within16Bits(sum[i + 1]! * gain)
      }
    },
  }
}

/** True when the fade has no effect from a sample of the broadcast on. */
export function isOver(fade: Fade, at: number): boolean {
  return at >= fade.from + fade.length
}

/** Gain of a fade at a sample of the broadcast, 0 to 1; 1 without a fade. */
export function gainAt(fade: Fade | null, at: number): number {
  if (fade === null) return 1
  const quarter = (Math.min(1, Math.max(0, (at - fade.from) / fade.length)) * Math.PI) / 2
  return fade.level * (fade.direction === 'in' ? Math.sin(quarter) : Math.cos(quarter))
}

function isPlain({ fade, gain }: Part, at: number): boolean {
  return (fade === null || isOver(fade, at)) && (gain === undefined || gain === 1)
}

function add({ samples, fade, gain = 1 }: Part, sum: Float32Array, start: number, stop: number, at: number) {
  const level = fade === null || isOver(fade, at) ? gain : null
  for (let i = start; i < stop; i += 2) {
    const factor = level ?? gain * gainAt(fade, at + (i - start) / 2)
    sum[i]! += samples[i]! * factor
    sum[i + 1]! += samples[i + 1]! * factor
  }
}

function addLive({ samples, musicGain }: LiveAudio, sum: Float32Array, start: number, stop: number) {
  for (let i = start; i < stop; i += 2) {
    sum[i] = sum[i]! * musicGain[i / 2]! + samples[i / 2]!
    sum[i + 1] = sum[i + 1]! * musicGain[i / 2]! + samples[i / 2]!
  }
}

function within16Bits(sample: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(sample)))
}
