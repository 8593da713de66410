import { type Bus, repeatTogether, type StationClock } from '@solstice/station'
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
/** Wakes the process that often. */
const LAG_RESOLUTION_MS = 500

/** Watches whether the replica stays, Redis answers and was read, and the event loop keeps up. */
export function watchReadiness(
  app: FastifyInstance,
  deps: { bus: Bus; clock: StationClock; mirror: AirMirror; streamMode: boolean; drain: Drain },
): Readiness {
  const lag = watchLag(app)
  const hindrance = () => {
    if (deps.drain.hasBegun) return 'draining'
    if (!deps.bus.isConnected()) return 'no_redis'
    if (!deps.mirror.hasRead) return 'no_state'
    return lag.worstMs() > MAX_LAG_MS ? 'overloaded' : null
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

/**
 * Watches how late the event loop is. A histogram of Node's would leave out what begins within its first tick after a reset: just
 * when a replica has become ready again.
 */
function watchLag(app: FastifyInstance) {
  let [turnedMs, worstMs, worstBeforeMs] = [performance.now(), 0, 0]
  const sinceTurnMs = () => Math.max(worstMs, performance.now() - turnedMs - LAG_RESOLUTION_MS)
  const endTurns = repeatTogether(LAG_RESOLUTION_MS, () => {
    worstMs = sinceTurnMs()
    turnedMs = performance.now()
  })
  const endWindows = repeatTogether(LAG_WINDOW_MS, () => {
    worstBeforeMs = sinceTurnMs()
    worstMs = 0
  })
  // The start does not count.
  app.addHook('onListen', async () => {
    turnedMs = performance.now()
    worstMs = worstBeforeMs = 0
  })
  app.addHook('onClose', async () => {
    endTurns()
    endWindows()
  })
  return {
    /** The longest that it was late in this window and the one before. */
    worstMs: () => Math.max(worstBeforeMs, sinceTurnMs()),
  }
}
