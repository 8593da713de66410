import type { LyricsBatchResult } from '@solstice/contracts'

/** What the lyrics batches of all processes share. */
export interface LyricsBatches {
  /** What a batch has done so far, in order; kept for a day after its last step. */
  results(jobId: string): Promise<LyricsBatchResult[]>
  /** Keeps the result of step `index`. False when that step is another process's, which has taken the batch over. */
  add(jobId: string, index: number, result: LyricsBatchResult): Promise<boolean>
}
