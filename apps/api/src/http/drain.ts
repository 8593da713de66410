import { Server as NetServer, type Socket } from 'node:net'
import { sleep } from '@solstice/station'
import type { FastifyInstance } from 'fastify'

/** How long requests in progress may take to finish. */
export const DRAIN_TIMEOUT_MS = 30_000
const IDLE_CHECK_MS = 500

/** A replica that leaves gets no new requests and finishes those in progress. */
export interface Drain {
  /** True once the app was told to close. */
  readonly hasBegun: boolean
}

/**
 * Makes an app close gracefully: it reports itself not ready, accepts connections for `delayMs` more, then finishes requests in
 * progress for up to 30 s and closes idle connections. To be called before any other `preClose` hook is added; `lastOf` after
 * all of them.
 */
export function drainOnClose(app: FastifyInstance, delayMs: number): Drain & { lastOf(): void } {
  const { server } = app
  const open = new Set<Socket>()
  let hasBegun = false
  let ended: Promise<void> = Promise.resolve()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })

  app.addHook('preClose', async () => {
    hasBegun = true
    if (delayMs > 0) await sleep(delayMs)
    // HTTP's own `close` would take streams for idle and cut them in the middle of a frame.
    ended = new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  })

  const closeRest = async () => {
    const closeIdle = () => {
      server.closeIdleConnections()
      // Browsers open connections ahead; to Node one that never carried a request is not idle.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    const idle = setInterval(closeIdle, IDLE_CHECK_MS)
    const tooLong = setTimeout(() => {
      for (const socket of open) socket.destroy()
    }, DRAIN_TIMEOUT_MS)
    server.closeIdleConnections()
    await ended
    clearInterval(idle)
    clearTimeout(tooLong)
  }

  return {
    get hasBegun() {
      return hasBegun
    },
    lastOf: () => app.addHook('preClose', closeRest),
  }
}
