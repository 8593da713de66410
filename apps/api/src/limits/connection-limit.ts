import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createConnectionCounter } from './connection-counter.ts'

/** A browser opens six; a few pages of one household are well within. */
const MAX_PER_ADDRESS = 50

/**
 * Bounds how many connections of one address wait for requests or answers at the same time; what is more is closed at
 * once. One that became a stream or a WebSocket is not counted any more.
 *
 * @param addressOf null for a connection that is not counted: one that a proxy makes for everybody.
 */
export function limitConnections(
  server: Server,
  addressOf: (socket: Socket) => string | null,
  max = MAX_PER_ADDRESS,
): { release(socket: Socket): void } {
  const counter = createConnectionCounter(max)
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
