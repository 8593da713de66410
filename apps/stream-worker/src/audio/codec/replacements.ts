import { SAMPLE_RATE } from '@solstice/station'

/** Replacements in a row, without this much sound in between, until a track is given up. */
const MAX_REPLACEMENTS = 3
const HEALTHY_SAMPLES = 5 * SAMPLE_RATE
/** A process that has just been started may need long on a busy machine; ending it too early makes that worse. */
const START_TIMEOUT_MS = 5_000
const MAX_START_TIMEOUT_MS = 60_000

/** Decides how often the process of a decoder is replaced, and how long a new one may take. */
export interface Replacements {
  /** Time until a process has to give its first samples. */
  readonly startTimeoutMs: number
  /** Takes one replacement at a position; false = the track does not get on. */
  take(position: number): boolean
  /** A process took longer than that: the next one may take twice as long. */
  noteLateStart(): void
}

/** @param from position of the first sample wanted. */
export function createReplacements(from: number): Replacements {
  let taken = 0
  let lastAt = from
  let startTimeoutMs = START_TIMEOUT_MS
  return {
    get startTimeoutMs() {
      return startTimeoutMs
    },
    take(position) {
      if (position - lastAt > HEALTHY_SAMPLES) taken = 0
      lastAt = position
      return taken++ < MAX_REPLACEMENTS
    },
    noteLateStart() {
      startTimeoutMs = Math.min(MAX_START_TIMEOUT_MS, startTimeoutMs * 2)
    },
  }
}
