/** What only one job at a time may change, over all processes. */
export interface Leases {
  /**
   * Works with all of `names` held. A holder does not wait for itself: a job that is done again goes on with what its dead
   * process held. What `work` throws `HeldUp` for stays held for a while, until that job goes on.
   *
   * @throws what `work` throws; HeldUp, as one that waits, when somebody else holds any of them for half a second more;
   * the reason of `stopping` when it is aborted while waiting.
   */
  hold<T>(holder: string, names: string[], stopping: AbortSignal, work: () => Promise<T>): Promise<T>
}
