import { randomUUID } from 'node:crypto'
import { type Channel, readMessage } from '@solstice/adapters'

/** A number that changed is shared this often at most, */
const PACE_MS = 2_000
/** any number this often at least, */
const HEARTBEAT_MS = 10_000
/** and one that was not repeated for longer is dropped. */
const FORGET_AFTER_MS = 25_000

/** How many people listen, over all replicas. */
export interface Audience {
  readonly size: number
  close(): void
}

/** Each replica publishes its own number; the audience is their sum. @param deps.own the listeners of this replica. */
export function openAudience(deps: { channel: Channel; own: () => number; paceMs?: number }): Audience {
  const { channel, own, paceMs = PACE_MS } = deps
  const here = randomUUID()
  const others = new Map<string, { listeners: number; toldAtMs: number }>()
  let told = -1
  let toldAtMs = Number.NEGATIVE_INFINITY

  const tell = (listeners: number) => {
    told = listeners
    toldAtMs = performance.now()
    channel.publish(JSON.stringify({ from: here, listeners }))
  }
  const onMessage = (message: string) => {
    const { from, listeners } = (readMessage(message) ?? {}) as { from?: unknown; listeners?: unknown }
    if (typeof from !== 'string' || from === here || !isCount(listeners)) return
    // A replica that is new here has not heard this one either.
    if (!others.has(from)) told = -1
    if (listeners === 0) others.delete(from)
    else others.set(from, { listeners, toldAtMs: performance.now() })
  }
  const unsubscribe = channel.subscribe({ onMessage, onCaughtUp: () => tell(own()) })
  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const [replica, other] of others)
      if (nowMs - other.toldAtMs > FORGET_AFTER_MS) others.delete(replica)
    if (own() !== told || nowMs - toldAtMs >= HEARTBEAT_MS) tell(own())
  }, paceMs)

  return {
    get size() {
      return [...others.values()].reduce((sum, { listeners }) => sum + listeners, own())
    },
    close() {
      unsubscribe()
      clearInterval(timer)
      tell(0)
    },
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
