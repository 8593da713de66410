/** The slow jobs by name, with what they are given. */
export interface Jobs {
  /** Library and disk agree again (contract: start of the service). */
  'reconcile-media': Record<string, never>
  /** An empty library is filled with synthesised pieces. */
  'demo-library': Record<string, never>
  /** Old history leaves. */
  'purge-expired': Record<string, never>
  /** Lyrics of all tracks that have none yet, one by one. */
  'prefetch-lyrics': Record<string, never>
}
export type JobName = keyof Jobs

export interface JobQueue {
  /** Adds a job; one with the same id that still waits or runs is not added twice. */
  add<N extends JobName>(name: N, payload: Jobs[N], options?: { id?: string }): Promise<void>
  close(): Promise<void>
}
