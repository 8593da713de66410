const WITHIN_MS = 60_000
/** A break and its retries are one. */
const APART_MS = 5_000

/** Counts how often the sound broke within a minute, whatever the cause. */
export interface BreakCount {
  /** @returns the number of breaks of the last minute, with this one. */
  add(nowMs: number): number
  reset(): void
}

export function createBreakCount(): BreakCount {
  let breaksMs: number[] = []
  return {
    add(nowMs) {
      breaksMs = breaksMs.filter((atMs) => nowMs - atMs < WITHIN_MS)
      if (nowMs - (breaksMs.at(-1) ?? Number.NEGATIVE_INFINITY) >= APART_MS) breaksMs.push(nowMs)
      return breaksMs.length
    },
    reset() {
      breaksMs = []
    },
  }
}
