import type { Speaker } from '@solstice/playout'
import { type Bus, type Replicas, sleep, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import type { Visitor } from '../dispatch.ts'

const RETRY_MS = 1_000
/** After so long those that were dead when this one began are known to be. */
const REPLICA_DEAD_AFTER_MS = 8_000
/** A process that ends does not wait longer until its sockets are off the air: it is missed soon. */
const SHUTDOWN_NOTICE_TIMEOUT_MS = 2_000

/** The sockets of this replica that are on the air, or asked for it: all of that ends with them. */
export interface LiveSockets {
  /** Who a socket is to the worker. */
  speakerOf(who: Visitor): Speaker
  /**
   * To be called before the worker is asked to let a socket on the air, and no await between. False when the socket is gone:
   * then the worker must not be asked.
   */
  begin(who: Visitor, as: 'host' | 'guest'): boolean
  /** Takes a socket off the air with all that it asked for, as soon as the worker can. */
  end(who: Visitor): void
  /** As what it asked for something; null = it never did. */
  roleOf(who: Pick<Visitor, 'socketId'>): 'host' | 'guest' | null
  /** Resolves with true when no other replica lived that was there before this one: the service began anew. */
  isFirst(): Promise<boolean>
  /** Takes all of them off. */
  close(): Promise<void>
}

export function openLiveSockets(deps: {
  replica: string
  replicas: Replicas
  bus: Pick<Bus, 'send'>
  uidOf: (address: string) => string
  log: Logger
}): LiveSockets {
  const { replica, replicas, bus, uidOf, log } = deps
  let stopSayingAlive: Unsubscribe | null = null
  const present = new Map<string, 'host' | 'guest'>()
  /** Each time that a socket leaves is another one: it may come back meanwhile. */
  const leaving = new Map<string, symbol>()
  let isAsking = false
  const ending = new AbortController()
  let isClosed = false

  const askToLeave = async () => {
    if (isAsking) return
    isAsking = true
    while (leaving.size > 0 && !isClosed) {
      const answers = await Promise.allSettled(
        [...leaving].map(async ([socketId, asked]) => {
          await bus.send({ type: 'leave-live', socketId })
          if (leaving.get(socketId) === asked) leaving.delete(socketId)
        }),
      )
      const failed = answers.find((answer) => answer.status === 'rejected')
      if (!failed) continue
      log.warn({ err: failed.reason }, 'a socket could not be taken off the air; trying again')
      await sleep(RETRY_MS, { ref: false })
    }
    isAsking = false
  }

  return {
    async isFirst() {
      const others = await replicas.present()
      if (isClosed) return false
      stopSayingAlive ??= replicas.stayAlive(replica)
      if (others.length === 0) return true
      await sleep(REPLICA_DEAD_AFTER_MS, { ref: false, signal: ending.signal })
      const present = await replicas.present()
      return !others.some((other) => present.includes(other))
    },
    speakerOf: ({ socketId, address }) => ({ socketId, replica, uid: uidOf(address), address }),
    begin(who, as) {
      if (!who.isConnected || isClosed) return false
      stopSayingAlive ??= replicas.stayAlive(replica)
      present.set(who.socketId, as)
      leaving.delete(who.socketId)
      return true
    },
    end({ socketId }) {
      if (!present.delete(socketId)) return
      leaving.set(socketId, Symbol(socketId))
      void askToLeave()
    },
    roleOf: ({ socketId }) => present.get(socketId) ?? null,
    async close() {
      isClosed = true
      ending.abort()
      if (present.size + leaving.size > 0) {
        const shutdownNotice = bus.send({ type: 'replica-gone', replica })
        await Promise.race([
          shutdownNotice.catch(() => {}),
          sleep(SHUTDOWN_NOTICE_TIMEOUT_MS, { ref: false }),
        ])
      }
      stopSayingAlive?.()
    },
  }
}
