import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Bus, StationClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Drain } from '../http/drain.ts'
import type { AirMirror } from '../stream/mirror.ts'

/** Why this replica should get no requests; null when it should. */
export interface Readiness {
  /** Only faults of its own: a balancer cannot find elsewhere what all replicas lack, and pages and logins need no sound. */
  unreadyReason(): 'draining' | 'no_redis' | 'no_state' | 'overloaded' | null
  /** Also when this replica has no state of the air, or in stream mode no fresh sound. */
  streamUnreadyReason(): ReturnType<Readiness['unreadyReason']> | 'no_sound'
}

const MAX_LAG_MS = 1_000
/** A late event loop counts against this replica for up to two windows. */
const LAG_WINDOW_MS = 5_000
/** Counts with the lag, and wakes the process that often. */
const LAG_RESOLUTION_MS = 100

/** Watches whether the replica stays, Redis answers and was read, and the event loop keeps up. */
export function watchReadiness(
  app: FastifyInstance,
  deps: { bus: Bus; clock: StationClock; mirror: AirMirror; streamMode: boolean; drain: Drain },
): Readiness {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  lag.enable()
  let worstBefore = 0
  const window = setInterval(() => {
    worstBefore = lag.max
    lag.reset()
  }, LAG_WINDOW_MS).unref()
  // The start does not count.
  app.addHook('onListen', async () => {
    worstBefore = 0
    lag.reset()
  })
  app.addHook('onClose', async () => {
    clearInterval(window)
    lag.disable()
  })

  const hindrance = () => {
    if (deps.drain.hasBegun) return 'draining'
    if (!deps.bus.isConnected()) return 'no_redis'
    if (!deps.mirror.hasRead) return 'no_state'
    return Math.max(worstBefore, lag.max) / 1e6 > MAX_LAG_MS ? 'overloaded' : null
  }
  return {
    unreadyReason: hindrance,
    streamUnreadyReason() {
      const { mirror, clock, streamMode } = deps
      if (!mirror.state) return hindrance() ?? 'no_state'
      return hindrance() ?? (streamMode && !mirror.isFresh(clock.nowMs()) ? 'no_sound' : null)
    },
  }
}
