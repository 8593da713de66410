/** Beyond this the sound jumps, which nobody hears as one: something else was audible already. */
const JUMP_BEYOND_S = 0.1
/** Since the sound last began or jumped. */
const JUMP_AFTER_S = 1
/** The sound is left alone until it is this far off, and is then brought this close. */
const CORRECT_BEYOND_S = 0.001
const CLOSE_ENOUGH_S = 0.0002
/** Share by which a correction changes the speed: 0.1 % is a sixtieth of a semitone. Far off, an echo is worse than a little more. */
const MAX_CHANGE = 0.001
const FAR_OFF_S = 0.004
const MAX_CHANGE_FAR_OFF = 0.002
/** While the measurements of the first seconds settle, the sound may jump once and change faster. */
const AT_FIRST_S = 3
const MAX_CHANGE_AT_FIRST = 0.005
const JUMP_AT_FIRST_BEYOND_S = 0.01

export interface Course {
  /** Positive when the sound is behind. */
  errorS: number
  /** Since the sound last began or jumped. */
  sinceStartS: number
  /** A correction is under way. */
  isCorrecting: boolean
}

export type Steering = { do: 'jump' } | { do: 'play'; gainS: number; isCorrecting: boolean }

/** How to play the next `blockS` seconds: `gainS` is how much the sound catches up in them; negative = falls back. */
export function steer({ errorS, sinceStartS, isCorrecting }: Course, blockS: number): Steering {
  const offS = Math.abs(errorS)
  const isAtFirst = sinceStartS < AT_FIRST_S
  const jumpBeyondS = isAtFirst ? JUMP_AT_FIRST_BEYOND_S : JUMP_BEYOND_S
  if (offS > jumpBeyondS && sinceStartS >= JUMP_AFTER_S) return { do: 'jump' }
  if (offS < (isCorrecting ? CLOSE_ENOUGH_S : CORRECT_BEYOND_S))
    return { do: 'play', gainS: 0, isCorrecting: false }
  const most = isAtFirst ? MAX_CHANGE_AT_FIRST : offS > FAR_OFF_S ? MAX_CHANGE_FAR_OFF : MAX_CHANGE
  const mostS = blockS * most
  return { do: 'play', gainS: Math.max(-mostS, Math.min(mostS, errorS)), isCorrecting: true }
}
