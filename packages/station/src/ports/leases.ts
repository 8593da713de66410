/** What only one job at a time may change, over all processes. */
export interface Leases {
  /**
   * Waits until nobody else holds any of `names`, then works with all of them held. A holder does not wait for itself: a
   * job that is done again goes on with what its dead process held. What `work` throws `HeldUp` for stays held for a
   * while, until that job goes on.
   *
   * @throws what `work` throws; the reason of `stopping` when it is aborted while waiting.
   */
  hold<T>(holder: string, names: string[], stopping: AbortSignal, work: () => Promise<T>): Promise<T>
}
