/** The state of the sound when its drift is measured. */
export interface Playing {
  /** A seek or a load is under way, so the position means nothing. */
  isSettling: boolean
  /** Since the position was last set. */
  sinceJumpMs: number
  /** Another device plays it. */
  isElsewhere?: boolean
}

export type Correction = { do: 'wait' } | { do: 'jump' } | { do: 'rate'; rate: number }

/** The tolerance of the interface document. */
const JUMP_BEYOND_S = 0.35
const MIN_JUMP_INTERVAL_MS = 2000
/** Another device loads anew at each jump, and is silent meanwhile; nobody there hears a difference of seconds. */
const JUMP_BEYOND_ELSEWHERE_S = 5
const MIN_JUMP_INTERVAL_ELSEWHERE_MS = 15_000
/** Inaudible, and no larger than the error of the measurement. */
const CLOSE_ENOUGH_S = 0.02
/** A larger change of the rate could be heard. */
const MAX_RATE_CHANGE = 0.02

/** How to bring the sound to the station's position; `driftS` > 0 when the sound is behind. */
export function correctionOf(driftS: number, playing: Playing): Correction {
  if (playing.isSettling) return { do: 'wait' }
  if (playing.isElsewhere)
    return Math.abs(driftS) > JUMP_BEYOND_ELSEWHERE_S && playing.sinceJumpMs >= MIN_JUMP_INTERVAL_ELSEWHERE_MS
      ? { do: 'jump' }
      : { do: 'rate', rate: 1 }
  if (Math.abs(driftS) > JUMP_BEYOND_S && playing.sinceJumpMs >= MIN_JUMP_INTERVAL_MS) return { do: 'jump' }
  if (Math.abs(driftS) < CLOSE_ENOUGH_S) return { do: 'rate', rate: 1 }
  const change = Math.max(-MAX_RATE_CHANGE, Math.min(MAX_RATE_CHANGE, driftS / 10))
  return { do: 'rate', rate: 1 + change }
}

/**
 * How far beyond the target to jump next time, in seconds: a seek takes time on each device, which the landing of the
 * last one shows.
 */
export function leadAfter(leadS: number, landedBehindS: number): number {
  return Math.max(0, Math.min(2, leadS + landedBehindS))
}
