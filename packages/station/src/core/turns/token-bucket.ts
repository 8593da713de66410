/** Capacity, and the tokens that flow back in a second. */
export interface BucketSize {
  burst: number
  perS: number
}

/** Takes `count` tokens; `false` takes none, because fewer are left. */
export type TakeTokens = (count: number, nowMs: number) => boolean

/** A token bucket, full at first. Time that runs backwards adds nothing. */
export function tokenBucket({ burst, perS }: BucketSize): TakeTokens {
  let tokens = burst
  let filledAtMs: number | null = null
  return (count, nowMs) => {
    const passedMs = filledAtMs === null ? 0 : Math.max(0, nowMs - filledAtMs)
    filledAtMs = nowMs
    tokens = Math.min(burst, tokens + (passedMs / 1000) * perS)
    if (tokens < count) return false
    tokens -= count
    return true
  }
}
