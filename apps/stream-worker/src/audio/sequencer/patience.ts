/**
 * How far the sound may fall behind its time while it waits for a decoder. Then it goes on with silence, as slowly as
 * time passes. Listeners hold more than that, so a wait is not heard.
 */
const PATIENCE_MS = 2_000
/** A sample that is mixed this late, or later, is not the present any more. */
const PRESENT_MS = PATIENCE_MS + 500
/** When the worker itself was held up for longer, the delay is not held against the decoders. */
const HELD_UP_MS = 500

/** Decides how long decoders are waited for, by how late the sound is. */
export interface Patience {
  /** Notes how late the next sample is, ms. */
  note(lagMs: number): void
  /** Notes the ms since the last check of about every 100 ms. */
  noteCheck(elapsedMs: number): void
  /** Forgets how late the sound was: what it is next counts as late before anything had to be waited for. */
  forgive(): void
  /** Decoders are still waited for. */
  readonly isLeft: boolean
  /** Sound that is mixed now is heard about now: nothing is being caught up with. */
  readonly isPresent: boolean
}

export function createPatience(): Patience {
  let lagMs = 0
  /** The smallest lag since the beginning: what was late before anything had to be waited for. */
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
      if (elapsedMs > HELD_UP_MS) forgive()
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
