/** What is known of the listener's sound when its drift is measured. */
export interface Playing {
  /** A seek or a load is under way, so the position says nothing. */
  isSettling: boolean
  /** How long ago the position was last set. */
  sinceJumpMs: number
}

export type Correction = { do: 'wait' } | { do: 'jump' } | { do: 'rate'; rate: number }

/** The tolerance of the interface document: beyond it, a jump. */
const JUMP_BEYOND_S = 0.35
const JUMPS_APART_MS = 2000
/** Below this nobody hears it, and measuring is no better. */
const CLOSE_ENOUGH_S = 0.02
const LARGEST_RATE_CHANGE = 0.02

/** How to bring the sound to the station's position; `driftS` > 0 when the sound is behind. */
export function correctionOf(driftS: number, playing: Playing): Correction {
  if (playing.isSettling) return { do: 'wait' }
  if (Math.abs(driftS) > JUMP_BEYOND_S && playing.sinceJumpMs >= JUMPS_APART_MS) return { do: 'jump' }
  if (Math.abs(driftS) < CLOSE_ENOUGH_S) return { do: 'rate', rate: 1 }
  const change = Math.max(-LARGEST_RATE_CHANGE, Math.min(LARGEST_RATE_CHANGE, driftS / 10))
  return { do: 'rate', rate: 1 + change }
}

/**
 * How much further than the target to jump next time, in seconds: a seek takes time, and where the last one landed
 * shows how long on this device.
 */
export function leadAfter(leadS: number, landedBehindS: number): number {
  return Math.max(0, Math.min(2, leadS + landedBehindS))
}
