import type { LyricsBatchResult } from '@solstice/contracts'

/** What the lyrics batches of all processes share. */
export interface LyricsBatches {
  /** What a batch has done so far, in order; kept for a day after its last step. */
  results(jobId: string): Promise<LyricsBatchResult[]>
  /** Keeps the result of step `index`. False when that step is another process's, which has taken the batch over. */
  add(jobId: string, index: number, result: LyricsBatchResult): Promise<boolean>
  /**
   * Waits until no batch is asking the lyrics service, and has not for a moment. What it resolves with ends the turn;
   * one that nobody ends is over after 15 s.
   */
  takeTurn(stopping: AbortSignal): Promise<() => Promise<void>>
}
