import { Failure, type MediaKey, sleep } from '@solstice/station'

/** A few files in a row may really be missing; more suggest that the disk is away. */
const MISSES_BEFORE_PAUSE = 3
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 10_000

/**
 * Opens or finds files, one after the other. After a few failures in a row it pauses before each further attempt, longer
 * each time, so that a disk that is away for seconds does not cost the library all its tracks (rule T4).
 *
 * @param onBack called at the first success after such a pause.
 */
export function createProbing<T>(
  source: (media: MediaKey) => Promise<T>,
  onBack: () => void,
  stopping: AbortSignal,
): (media: MediaKey) => Promise<T> {
  let missed = 0
  return async (media) => {
    if (missed >= MISSES_BEFORE_PAUSE) {
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (missed - MISSES_BEFORE_PAUSE))
      await sleep(pauseMs, { signal: stopping })
    }
    try {
      const found = await source(media)
      const wasAway = missed >= MISSES_BEFORE_PAUSE
      missed = 0
      if (wasAway) onBack()
      return found
    } catch (error) {
      if (error instanceof Failure && error.code === 'NOT_FOUND') missed++
      throw error
    }
  }
}
