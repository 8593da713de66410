import { type Log, type MediaKey, sleep } from '@solstice/station'
import { isNotFound } from '../not-found.ts'
import type { Availability } from './availability.ts'
import type { Transfers } from './transfers.ts'

/** The cache must have room for other files besides. */
const MAX_PREFETCHED_FILES = 8
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

/** Fetches files ahead of need, for as long as it takes. */
export interface Prefetcher {
  /** Replaces the list of wanted files; the most urgent come first. */
  prefetch(keys: readonly MediaKey[]): void
  wants(key: MediaKey): boolean
  /** True when files are being fetched, and so the storage is asked again and again. */
  isRunning(): boolean
  settled(): Promise<void>
}

export function createPrefetcher(
  transfers: Transfers,
  availability: Availability,
  isCached: (key: MediaKey) => boolean,
  log: Log,
  signal: AbortSignal,
): Prefetcher {
  let wanted: readonly MediaKey[] = []
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    const absent = new Set<MediaKey>()
    const isDone = (key: MediaKey) => isCached(key) || absent.has(key)
    for (let attempt = 0; !signal.aborted; attempt++) {
      let isComplete = true
      for (const key of wanted) {
        if (isDone(key)) continue
        try {
          await transfers.fetch(key)
          attempt = 0
        } catch (error) {
          if (isNotFound(error)) absent.add(key)
          else isComplete = false
          if (attempt === 0) log.warn({ err: error, key }, 'file could not be prefetched')
        }
      }
      if (isComplete) isComplete = await isAnswering()
      if (isComplete && wanted.every(isDone)) return
      await pauseBefore(attempt, signal).catch(() => {})
    }
  }

  /** Tries the file that failed, even with all wanted files here: others wait to hear that the storage is back. */
  async function isAnswering(): Promise<boolean> {
    const key = availability.failedKey()
    if (key !== null) await transfers.fetch(key).catch(() => {})
    return availability.failedKey() === null
  }

  return {
    prefetch(keys) {
      wanted = [...new Set(keys)].slice(0, MAX_PREFETCHED_FILES)
      if (wanted.every(isCached) && availability.failedKey() === null) return
      running ??= run().finally(() => {
        running = null
      })
    },
    wants: (key) => wanted.includes(key),
    isRunning: () => running !== null,
    settled: async () => void (await running?.catch(() => {})),
  }
}

/** Exponential backoff with jitter. @throws when `signal` is aborted. */
export function pauseBefore(attempt: number, signal: AbortSignal): Promise<void> {
  const fullMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
  return sleep(fullMs * (0.5 + Math.random() / 2), { signal })
}
