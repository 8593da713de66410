import { localNowMs } from '../../../connection/station-clock.ts'
import type { LagMeter } from '../lag.ts'

/** A segment may take long on a slow network, and to ask anew would begin it anew. */
const STALL_TIMEOUT_MS = 30_000
/** A playlist has the last minute. */
const FAR_BEHIND_S = 60

interface Moments {
  /** Station time of what is heard, epoch ms; null while it is unknown. */
  heardMs(): number | null
  stationNowMs(): number
}

/** Segments have dates, so the lag needs no estimate once they are here. */
export function createSegmentLag({ heardMs, stationNowMs }: Moments): LagMeter {
  let advancedAtMs = 0
  /** Station time that will be heard first. */
  let fromMs: number | null = null
  const measure = () => {
    const ms = heardMs()
    return ms === null ? null : (stationNowMs() - ms) / 1000
  }
  const advanced = () => {
    advancedAtMs = localNowMs()
  }
  return {
    opened(behindS) {
      fromMs = stationNowMs() - behindS * 1000
      advanced()
    },
    advanced,
    reset() {
      fromMs = null
    },
    measure,
    lagS: () => measure() ?? (fromMs === null ? 0 : (stationNowMs() - fromMs) / 1000),
    isStalled: () => localNowMs() - advancedAtMs > STALL_TIMEOUT_MS,
    isFarBehind: (lagS) => lagS > FAR_BEHIND_S,
  }
}
