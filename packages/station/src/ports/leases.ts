/** Named locks for things that only one job at a time may change, across all processes. */
export interface Leases {
  /**
   * Runs `work` while holding all of `names`. A holder never waits for itself: a repeated job takes over the names of its
   * dead process. When `work` throws `Deferred`, the names stay held for a while, until that job resumes.
   *
   * @throws the error of `work`; Deferred (locked) when another holder keeps any of them for more than half a second; the
   * reason of `stopping` when it is aborted during the wait.
   */
  hold<T>(holder: string, names: string[], stopping: AbortSignal, work: () => Promise<T>): Promise<T>
}
