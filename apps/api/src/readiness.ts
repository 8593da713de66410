import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Bus, StationClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Drain } from './drain.ts'
import type { AirMirror } from './stream/air-mirror.ts'

/** Whether this replica may be given listeners, and why not. */
export type Readiness = () => { ready: true } | { ready: false; reason: string }

const LAG_LIMIT_MS = 1_000
/** For how long a late event loop is held against this replica, and how exactly lateness is measured. */
const LAG_WINDOW_MS = 5_000
const LAG_RESOLUTION_MS = 50

/** Watches what makes a replica good: it stays, Redis answers, the air is known and fresh, the process keeps up. */
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

  return () => {
    if (deps.drain.hasBegun) return { ready: false, reason: 'draining' }
    if (!deps.bus.isConnected()) return { ready: false, reason: 'no_redis' }
    if (!deps.mirror.state) return { ready: false, reason: 'no_state' }
    if (deps.streamMode && !deps.mirror.isFresh(deps.clock.nowMs()))
      return { ready: false, reason: 'no_sound' }
    if (Math.max(worstBefore, lag.max) / 1e6 > LAG_LIMIT_MS) return { ready: false, reason: 'overloaded' }
    return { ready: true }
  }
}
