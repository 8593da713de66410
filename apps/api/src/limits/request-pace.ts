import { Failure, networkOf } from '@solstice/station'
import { isThisMachine } from './connection-counter.ts'

const MAX_NETWORKS = 100_000

/** Counts requests per network in this process, for what is asked for too often to be counted in Redis. */
export interface RequestPace {
  /** @throws {Failure} RATE_LIMITED when the network has asked too often in this window. */
  take(address: string): void
}

/** This machine is not limited, because a proxy on it asks for everybody. */
export function createRequestPace({ turns, windowS }: { turns: number; windowS: number }): RequestPace {
  let counts = new Map<string, number>()
  let endsAtMs = 0
  return {
    take(address) {
      if (isThisMachine(address)) return
      const nowMs = performance.now()
      if (nowMs >= endsAtMs || counts.size >= MAX_NETWORKS) {
        counts = new Map()
        endsAtMs = nowMs + windowS * 1000
      }
      const network = networkOf(address)
      const taken = (counts.get(network) ?? 0) + 1
      counts.set(network, taken)
      if (taken > turns)
        throw new Failure('RATE_LIMITED', { retryAfterSecs: Math.ceil((endsAtMs - nowMs) / 1000) })
    },
  }
}
