/** One pending retry at a time, with growing delays. */
export interface Retry {
  schedule(run: () => void): void
  cancel(): void
  /** After a success: the next delay is short again. */
  reset(): void
}

/** The delay before retry number `attempt` (from 0); `chance` (0 to 1) spreads listeners who failed at once. */
export function retryDelayMs(attempt: number, chance: number): number {
  const fullMs = Math.min(15_000, 500 * 2 ** attempt)
  return Math.round(fullMs * (0.75 + chance / 2))
}

export function createRetry(): Retry {
  let attempt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    schedule(run) {
      clearTimeout(timer)
      timer = setTimeout(run, retryDelayMs(attempt++, Math.random()))
    },
    cancel: () => clearTimeout(timer),
    reset() {
      attempt = 0
    },
  }
}
