import { SAMPLE_RATE } from '@solstice/station'

/** Replacements in a row, each without this much audio in between, before a track is given up. */
const MAX_REPLACEMENTS = 3
const HEALTHY_SAMPLES = 5 * SAMPLE_RATE
/** A process that has just started may take long on a busy machine; killing it early makes that worse. */
const START_TIMEOUT_MS = 5_000
const MAX_START_TIMEOUT_MS = 60_000

/** Decides how often the process of a decoder is replaced, and how long a new one may take. */
export interface Replacements {
  /** Time within which a process must deliver its first samples. */
  readonly startTimeoutMs: number
  /** Counts a replacement at a position; false when the track makes no progress. */
  take(position: number): boolean
  /** Notes that a process took longer, and doubles the time for the next one. */
  noteLateStart(): void
}

/** @param from position of the first sample to deliver. */
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
