import { SAMPLE_RATE } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'

/**
 * Delay between the first packet and its playback. Audio is taken out 100 ms at a time, so nothing is missing as long as no
 * piece is more than about 40 ms late, however long pieces are. A worse connection gets more.
 */
const FIRST_CUSHION_MS = 150
const CUSHION_STEP_MS = 50
const MAX_CUSHION_MS = 350
/** Audio that arrives this soon after the buffer ran dry was late. */
const LATE_MS = 1_000
/** An unneeded surplus over the cushion is dropped after a while, so that the delay does not grow forever. */
const MIN_SPARE_MS = 100
const SPARE_PERIOD_SAMPLES = 2 * SAMPLE_RATE

/** Decides when received audio plays: late enough to bridge the jitter of the connection, and no later. */
export interface JitterBuffer {
  readonly isPlaying: boolean
  /** Notes the arrival of a packet. */
  arrive(nowMs: number): void
  /** Starts to play when the cushion is full. */
  begin(nowMs: number): boolean
  /** Notes that the audio has run out. */
  runOut(nowMs: number): void
  /** ms of audio that can be dropped after `taken` samples were played and `left` remain. */
  spareMs(left: number, taken: number): number
}

type State =
  | { is: 'empty'; sinceMs: number }
  | { is: 'filling'; sinceMs: number }
  /** `least`: fewest samples left after playing, within the last `measured` samples. */
  | { is: 'playing'; least: number; measured: number }

export function createJitterBuffer(): JitterBuffer {
  let state: State = { is: 'empty', sinceMs: -Infinity }
  let cushionMs = FIRST_CUSHION_MS
  return {
    get isPlaying() {
      return state.is === 'playing'
    },
    arrive(nowMs) {
      if (state.is !== 'empty') return
      if (nowMs - state.sinceMs < LATE_MS) cushionMs = Math.min(MAX_CUSHION_MS, cushionMs + CUSHION_STEP_MS)
      state = { is: 'filling', sinceMs: nowMs }
    },
    begin(nowMs) {
      if (state.is !== 'filling' || nowMs - state.sinceMs < cushionMs) return false
      state = { is: 'playing', least: Infinity, measured: 0 }
      return true
    },
    runOut(nowMs) {
      state = { is: 'empty', sinceMs: nowMs }
    },
    spareMs(left, taken) {
      if (state.is !== 'playing') return 0
      state.least = Math.min(state.least, left)
      state.measured += taken
      if (state.measured < SPARE_PERIOD_SAMPLES) return 0
      const spareMs = state.least / SAMPLES_PER_MS - cushionMs
      state = { is: 'playing', least: Infinity, measured: 0 }
      return spareMs < MIN_SPARE_MS ? 0 : spareMs
    },
  }
}
