import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Bus, StationClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Drain } from '../http/drain.ts'
import type { AirMirror } from '../stream/mirror.ts'

/** The reason not to give this replica work; null when there is none. */
export interface Readiness {
  /** Its own faults alone: what all replicas lack, no balancer can find elsewhere, and pages and logins need no sound. */
  unreadyReason(): 'draining' | 'no_redis' | 'no_state' | 'overloaded' | null
  /** The same, or what listeners lack: any air here, or in stream mode fresh sound of it. */
  streamUnreadyReason(): ReturnType<Readiness['unreadyReason']> | 'no_sound'
}

const MAX_LAG_MS = 1_000
/** For how long a late event loop is held against this replica, and how exactly lateness is measured. */
const LAG_WINDOW_MS = 5_000
const LAG_RESOLUTION_MS = 50

/** Watches what makes a replica good: it stays, Redis answers and has been read, the process keeps up. */
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
  // What starting took is not held against it.
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
