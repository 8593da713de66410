import type { LyricsBatchResult, LyricsEntry } from '@solstice/contracts'

/** A lyrics service in the LRCLIB form. */
export interface LyricsLookup {
  /** The service does not answer, and `find` throws at once for this long, ms; 0 or absent = it is asked. */
  readonly pauseMs?: number
  /** Finds lyrics; null when the service has none or lookups are off. @throws when the service cannot be reached. */
  find(recording: {
    title: string
    artist: string
    album?: string
    durationSecs?: number
  }): Promise<Pick<LyricsEntry, 'synced' | 'lines'> | null>
}

/** Each lane has a turn of its own, so that listeners never keep admins or jobs waiting. */
export type LyricsLane = 'listeners' | 'admins' | 'jobs'

/** The pace at which a station, all its processes together, asks the lyrics service. */
export interface LyricsTurns {
  /**
   * Waits until this lane is free and its pace allows another request. Resolves with a function that ends the turn; a turn
   * that is never ended expires after 15 s.
   *
   * @throws the reason of `stopping`, or the error of Redis.
   */
  take(lane: LyricsLane, stopping: AbortSignal): Promise<() => Promise<void>>
}

/** Progress of lyrics batches, shared by all processes. */
export interface LyricsBatches {
  /** Reads the results of a batch so far, in order; they are stored for a day after its last step. */
  results(jobId: string): Promise<LyricsBatchResult[]>
  /** Stores the result of step `index`; false when another process has taken over the batch and stored that step. */
  add(jobId: string, index: number, result: LyricsBatchResult): Promise<boolean>
}
