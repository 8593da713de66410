/** How the broadcast comes: in one endless answer, or in segments. */
export type TransportName = 'endless' | 'segments'

/** Which of the two is played. Both have the same sound; segments come later, and pass where an endless answer does not. */
export interface TransportChoice {
  readonly now: TransportName
  readonly other: TransportName
  /** The sound goes on. */
  sounded(nowMs: number): void
  /** An opening gave no sound, or its sound was cut. Returns whether the other one should be asked. */
  refused(nowMs: number): boolean
  /** The other one answers: from now on it is played. */
  change(nowMs: number): void
  /** The listener starts the sound. Returns whether the usual one has another chance. */
  started(nowMs: number): boolean
}

/** In a row. */
const REFUSALS_BEFORE_OTHER = 3
/** Where both are refused, they take turns ever more slowly. */
const MOST_DOUBLINGS = 3
/** A connection that gave sound for so long was not refused: replicas come and go. */
const SOUND_MS = 30_000
const AWAY_MS = 10 * 60_000

/** @param usual the one that is played where nothing is refused. */
export function createTransportChoice(usual: TransportName): TransportChoice {
  let isUsual = true
  let refusals = 0
  let changes = 0
  let changedAtMs = 0
  let soundedFromMs: number | null = null
  const rare: TransportName = usual === 'endless' ? 'segments' : 'endless'
  return {
    get now() {
      return isUsual ? usual : rare
    },
    get other() {
      return isUsual ? rare : usual
    },
    sounded(nowMs) {
      soundedFromMs ??= nowMs
    },
    refused(nowMs) {
      if (soundedFromMs !== null && nowMs - soundedFromMs >= SOUND_MS) refusals = changes = 0
      soundedFromMs = null
      refusals++
      return refusals >= REFUSALS_BEFORE_OTHER * 2 ** Math.min(changes, MOST_DOUBLINGS)
    },
    change(nowMs) {
      isUsual = !isUsual
      refusals = 0
      changes++
      changedAtMs = nowMs
      soundedFromMs = null
    },
    started(nowMs) {
      soundedFromMs = null
      if (isUsual || nowMs - changedAtMs < AWAY_MS) return false
      isUsual = true
      changes = 0
      // It was refused before: once more is enough.
      refusals = REFUSALS_BEFORE_OTHER - 1
      return true
    },
  }
}
