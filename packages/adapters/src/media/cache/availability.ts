import type { Log, MediaKey } from '@solstice/station'

/** The availability of the storage behind a cache. */
export interface Availability {
  /** True once requests have failed for longer than the storage is waited for. */
  isAway(): boolean
  /** The first file that failed since the last success; null while requests succeed. */
  failedKey(): MediaKey | null
  succeeded(): void
  /** @param sinceMs when the request began, on the clock of `performance.now()`. */
  failed(key: MediaKey, sinceMs: number): void
}

export function trackAvailability(patienceMs: number, log: Log): Availability {
  let failure: { key: MediaKey; sinceMs: number } | null = null
  const isAway = () => failure !== null && performance.now() - failure.sinceMs >= patienceMs
  return {
    isAway,
    failedKey: () => failure?.key ?? null,
    succeeded() {
      if (isAway()) log.info({}, 'the media storage is back')
      failure = null
    },
    failed(key, sinceMs) {
      failure ??= { key, sinceMs }
    },
  }
}
