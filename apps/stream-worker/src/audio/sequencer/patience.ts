/**
 * How far the broadcast may fall behind while it waits for a decoder. After that it continues with silence in
 * real time. Listeners buffer more than this, so a wait is inaudible.
 */
const PATIENCE_MS = 2_000
/** A sample mixed this late or later no longer counts as live. */
const PRESENT_MS = PATIENCE_MS + 500
/** If the worker itself was stalled for longer, the decoders are not blamed for the delay. */
const STALL_MS = 500

/** Decides how long to wait for decoders, by how late the broadcast is. */
export interface Patience {
  /** Notes how late the next sample is, ms. */
  note(lagMs: number): void
  /** Notes the ms since the last check; checks come about every 100 ms. */
  noteCheck(elapsedMs: number): void
  /** Forgets earlier lags; the next one is taken as the baseline. */
  forgive(): void
  /** True while waiting for decoders is allowed. */
  readonly isLeft: boolean
  /** True when audio is heard about when it is mixed, that is, no catch-up is under way. */
  readonly isPresent: boolean
}

export function createPatience(): Patience {
  let lagMs = 0
  /** The smallest lag so far, the baseline that no decoder caused. */
  let ownLagMs = Infinity
  const forgive = () => {
    ownLagMs = Infinity
  }
  return {
    note(ms) {
      lagMs = ms
      ownLagMs = Math.min(ownLagMs, ms)
    },
    noteCheck(elapsedMs) {
      if (elapsedMs > STALL_MS) forgive()
    },
    forgive,
    get isLeft() {
      return lagMs < ownLagMs + PATIENCE_MS
    },
    get isPresent() {
      return lagMs < PRESENT_MS
    },
  }
}
