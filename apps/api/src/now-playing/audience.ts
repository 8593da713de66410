import { randomUUID } from 'node:crypto'
import { type Channel, readMessage } from '@solstice/adapters'
import { repeatTogether, type WallClock } from '@solstice/station'

/** A number that changed is shared this often at most, */
const PACE_MS = 2_000
/** any number this often at least, */
const HEARTBEAT_MS = 10_000
/** and one that was not repeated for longer is dropped. */
const FORGET_AFTER_MS = 25_000

/** How many people listen, over all replicas. */
export interface Audience {
  readonly size: number
  /** The most at once that any of the replicas saw since `sinceMs`. */
  readonly peak: number
  /** Wall time at which the first of the replicas began to count; a replica that joins takes it over. */
  readonly sinceMs: number
  close(): void
}

/**
 * Each replica publishes its own number; the audience is their sum.
 *
 * @param deps.own the listeners of this replica. @param deps.common those whom all replicas know of.
 */
export function openAudience(deps: {
  channel: Channel
  own: () => number
  common?: () => number
  clock: WallClock
  paceMs?: number
}): Audience {
  const { channel, own, common = () => 0, clock, paceMs = PACE_MS } = deps
  const here = randomUUID()
  const others = new Map<string, { listeners: number; toldAtMs: number }>()
  let peak = 0
  let sinceMs = Math.round(clock.nowMs() - clock.aheadMs())
  let told = -1
  let toldAtMs = Number.NEGATIVE_INFINITY

  const size = () => [...others.values()].reduce((sum, { listeners }) => sum + listeners, own() + common())
  const measure = () => {
    peak = Math.max(peak, size())
    return peak
  }
  const tell = (listeners: number) => {
    told = listeners
    toldAtMs = performance.now()
    channel.publish(JSON.stringify({ from: here, listeners, peak: measure(), sinceMs }))
  }
  const onMessage = (message: string) => {
    const { from, listeners, ...past } = (readMessage(message) ?? {}) as Record<string, unknown>
    if (typeof from !== 'string' || from === here || !isCount(listeners)) return
    // A replica that is new here has not heard this one either.
    if (!others.has(from)) told = -1
    if (isCount(past.peak)) peak = Math.max(peak, past.peak)
    if (isCount(past.sinceMs)) sinceMs = Math.min(sinceMs, past.sinceMs)
    if (listeners === 0) others.delete(from)
    else others.set(from, { listeners, toldAtMs: performance.now() })
  }
  const unsubscribe = channel.subscribe({ onMessage, onCaughtUp: () => tell(own()) })
  const stop = repeatTogether(paceMs, () => {
    const nowMs = performance.now()
    for (const [replica, other] of others)
      if (nowMs - other.toldAtMs > FORGET_AFTER_MS) others.delete(replica)
    measure()
    if (own() !== told || nowMs - toldAtMs >= HEARTBEAT_MS) tell(own())
  })

  return {
    get size() {
      return size()
    },
    get peak() {
      return measure()
    },
    get sinceMs() {
      return sinceMs
    },
    close() {
      unsubscribe()
      stop()
      tell(0)
    },
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
