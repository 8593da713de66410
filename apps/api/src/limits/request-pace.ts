import { Failure, networkOf } from '@solstice/station'
import { isThisMachine } from './connection-counter.ts'
import { countAlone } from './shared-counts.ts'

const MAX_NETWORKS = 100_000

/** Counts requests per network at this replica, for what is asked for too often to be counted in Redis. */
export interface RequestPace {
  /** @throws {Failure} RATE_LIMITED when the network has asked too often in this window. */
  take(address: string): void
}

/** This machine is not limited, because a proxy on it asks for everybody. */
export function createRequestPace(
  { name = '', turns, windowS }: { name?: string; turns: number; windowS: number },
  openCount = countAlone,
): RequestPace {
  let endsAtMs = 0
  const begin = () => {
    endsAtMs = performance.now() + windowS * 1000
  }
  // A window begins at all processes together.
  const count = openCount(name, turns, begin)
  return {
    take(address) {
      if (isThisMachine(address)) return
      const nowMs = performance.now()
      if (nowMs >= endsAtMs || count.size >= MAX_NETWORKS) {
        count.clear()
        begin()
      }
      const network = networkOf(address)
      count.add(network, 1)
      if (count.of(network) > turns)
        throw new Failure('RATE_LIMITED', { retryAfterSecs: Math.ceil((endsAtMs - nowMs) / 1000) })
    },
  }
}
