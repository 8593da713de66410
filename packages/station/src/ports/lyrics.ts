import type { LyricsBatchResult, LyricsEntry } from '@solstice/contracts'

/** A lyrics service in the LRCLIB form. */
export interface LyricsLookup {
  /** The lyrics, or null when the service knows none or lookups are off. @throws when the service cannot be reached. */
  find(song: {
    title: string
    artist: string
    album?: string
    durationSecs?: number
  }): Promise<Pick<LyricsEntry, 'synced' | 'lines'> | null>
}

/** Who waits for whom: listeners never keep admins or jobs waiting. */
export type LyricsLane = 'listeners' | 'admins' | 'jobs'

/** The pace at which a station, all its processes together, asks the lyrics service. */
export interface LyricsTurns {
  /**
   * Waits until nobody in this lane is asking the service, and has not for a moment. What it resolves with ends the turn; one
   * that nobody ends is over after 15 s.
   *
   * @throws the reason of `stopping`, or what keeps Redis from answering.
   */
  take(lane: LyricsLane, stopping: AbortSignal): Promise<() => Promise<void>>
}

/** What the lyrics batches of all processes share. */
export interface LyricsBatches {
  /** What a batch has done so far, in order; kept for a day after its last step. */
  results(jobId: string): Promise<LyricsBatchResult[]>
  /** Keeps the result of step `index`. False when that step is another process's, which has taken the batch over. */
  add(jobId: string, index: number, result: LyricsBatchResult): Promise<boolean>
}
