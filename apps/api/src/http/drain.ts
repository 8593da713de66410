import { Server as NetServer, type Socket } from 'node:net'
import { sleep } from '@solstice/station'
import type { FastifyInstance } from 'fastify'

/** What has begun gets this long to end. */
export const DRAIN_TIMEOUT_MS = 30_000
/** So often it is looked for connections on which nothing is asked any more. */
const IDLE_CHECK_MS = 500

/** How a replica leaves: nobody is sent to it any more, and what has begun is brought to its end. */
export interface Drain {
  /** True from the moment in which the app is told to close. */
  readonly hasBegun: boolean
}

/**
 * Makes an app leave in order: it is not ready from now on, takes connections for `delayMs` more, then none; answers
 * what was asked, at most 30 s longer, and closes what nobody asks on. To be called before anything else that is done at
 * the end; `lastOf` after all of that.
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
    // Not as HTTP closes: that would break off streams, which it takes for idle, in the middle of a frame.
    ended = new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  })

  const closeRest = async () => {
    const closeIdle = () => {
      server.closeIdleConnections()
      // A browser may open a connection ahead; what never carried a request is not idle to Node.
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
