import type { LyricsEntry } from '@solstice/contracts'
import type { StationClock } from '../ports/bus.ts'

const KEPT_MS = 10 * 60 * 1000
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Lyrics of tracks that are neither in the library nor in the history: in memory, for minutes, up to some megabytes. */
export interface LyricsCache {
  get(key: string): LyricsEntry | null
  put(key: string, entry: LyricsEntry): void
}

export function createLyricsCache(clock: StationClock): LyricsCache {
  /** The oldest first. */
  const answers = new Map<string, { entry: LyricsEntry; characters: number; untilMs: number }>()
  let characters = 0
  const drop = (key: string) => {
    characters -= answers.get(key)?.characters ?? 0
    answers.delete(key)
  }
  return {
    get(key) {
      const answer = answers.get(key)
      if (!answer || answer.untilMs > clock.nowMs()) return answer?.entry ?? null
      drop(key)
      return null
    },
    put(key, entry) {
      drop(key)
      const size = key.length + JSON.stringify(entry).length
      answers.set(key, { entry, characters: size, untilMs: clock.nowMs() + KEPT_MS })
      characters += size
      for (const oldest of answers.keys()) {
        if (characters <= MAX_CHARACTERS) return
        drop(oldest)
      }
    },
  }
}
