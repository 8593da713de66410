import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createConnectionCounter } from './connection-counter.ts'
import { countAlone } from './shared-counts.ts'

/** A browser opens six, so several pages of a household fit. */
const MAX_PER_ADDRESS = 50

/**
 * Bounds the HTTP connections per address and closes further ones at once. A connection that became a stream or a WebSocket no
 * longer counts.
 *
 * @param addressOf null for connections that do not count, such as those of a proxy.
 */
export function limitConnections(
  server: Server,
  addressOf: (socket: Socket) => string | null,
  { max = MAX_PER_ADDRESS, openCount = countAlone } = {},
): { release(socket: Socket): void } {
  const counter = createConnectionCounter(max, openCount('connections', max))
  const leaving = new WeakMap<Socket, () => void>()
  const release = (socket: Socket) => {
    leaving.get(socket)?.()
    leaving.delete(socket)
  }
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket)
    if (address === null) return
    if (!counter.hasRoom(address)) return void socket.destroy()
    leaving.set(socket, counter.acquire(address))
    socket.once('close', () => release(socket))
  })
  server.on('upgrade', (_, socket) => release(socket as Socket))
  return { release }
}
