import type { Speaker } from '@solstice/playout'
import { type Bus, type Replicas, sleep, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import type { Visitor } from '../dispatch.ts'

const RETRY_MS = 1_000
/** Replicas that died before this one began are no longer listed after this time. */
const REPLICA_DEAD_AFTER_MS = 8_000
/** An ending process waits no longer for the worker, which soon notices that the replica is gone. */
const SHUTDOWN_NOTICE_TIMEOUT_MS = 2_000

/** The sockets of this replica that are on the air or asked to be; both end with the socket. */
export interface LiveSockets {
  /** The identity of a socket for the worker. */
  speakerOf(who: Visitor): Speaker
  /**
   * To be called right before the worker is asked to let a socket on the air, without an await between. False when the socket is
   * gone: then the worker must not be asked.
   */
  begin(who: Visitor, as: 'host' | 'guest'): boolean
  /** Takes a socket off the air and withdraws its requests, as soon as the worker can. */
  end(who: Visitor): void
  /** The role that it asked for; null when it never did. */
  roleOf(who: Pick<Visitor, 'socketId'>): 'host' | 'guest' | null
  /** Resolves with true when no replica older than this one is alive: the whole service was restarted. */
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
  let stopHeartbeat: Unsubscribe | null = null
  const present = new Map<string, 'host' | 'guest'>()
  /** A symbol per departure, because a socket may come back and leave again meanwhile. */
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
      log.warn({ err: failed.reason }, 'participant could not be taken off the air; retrying')
      await sleep(RETRY_MS, { ref: false })
    }
    isAsking = false
  }

  return {
    async isFirst() {
      const others = await replicas.present()
      if (isClosed) return false
      stopHeartbeat ??= replicas.stayAlive(replica)
      if (others.length === 0) return true
      await sleep(REPLICA_DEAD_AFTER_MS, { ref: false, signal: ending.signal })
      const present = await replicas.present()
      return !others.some((other) => present.includes(other))
    },
    speakerOf: ({ socketId, address }) => ({ socketId, replica, uid: uidOf(address), address }),
    begin(who, as) {
      if (!who.isConnected || isClosed) return false
      stopHeartbeat ??= replicas.stayAlive(replica)
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
      stopHeartbeat?.()
    },
  }
}
