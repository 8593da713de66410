/** Named locks for things that only one job at a time may change, across all processes. */
export interface Leases {
  /**
   * Runs `work` while holding all of `names`. A holder never waits for itself: a repeated job takes over the names of its
   * dead process. When `work` throws `Deferred`, the names stay held for a while, until that job resumes.
   *
   * @param work gets a signal that is aborted when another holder has taken one of them: this process did not run for as long as
   * a lease lasts.
   * @param leaseMs limits how long others wait for a holder that died; half a minute by default.
   * @throws the error of `work`; Deferred (locked) when another holder keeps any of them for more than half a second; the
   * reason of `stopping` when it is aborted during the wait.
   */
  hold<T>(
    holder: string,
    names: string[],
    stopping: AbortSignal,
    work: (lost: AbortSignal) => Promise<T>,
    leaseMs?: number,
  ): Promise<T>
}
