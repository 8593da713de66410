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
