import type { Socket as Connection } from 'node:net'
import type { DefaultEventsMap, Socket } from 'socket.io'
import { writeStraight } from '../../stream/straight-write.ts'
import type { ServerEmits } from '../dispatch.ts'

export type ClientSocket = Socket<DefaultEventsMap, ServerEmits>

/**
 * Sends an event without binary parts to many sockets. It is encoded once, and for each socket with nothing to send before it the bytes
 * go straight to its connection: on the way through Socket.IO a packet, a queue, and two callbacks cost more than the kernel does
 * (decision 42).
 *
 * @returns the others, who have to get it in turn: a client that polls, or one for whom something waits.
 */
export function sendShared(
  sockets: Iterable<ClientSocket>,
  event: string,
  payload: readonly unknown[],
): ClientSocket[] {
  const free: Connection[] = []
  const others: ClientSocket[] = []
  for (const socket of sockets) {
    const connection = freeConnectionOf(socket)
    if (connection) free.push(connection)
    else others.push(socket)
  }
  if (free.length === 0) return others
  const frame = textFrame(eventText(event, payload))
  for (const connection of free) writeStraight(connection, frame)
  return others
}

/** The parts of Engine.IO and `ws` that have no types, or private ones. */
interface Transport {
  name: string
  /** Nothing is being sent. */
  writable: boolean
  perMessageDeflate?: unknown
  socket?: { readyState: number; _socket?: Connection | null }
}

const OPEN = 1

/** The connection of a WebSocket through which nothing has to go first, or null. */
function freeConnectionOf({ conn }: ClientSocket): Connection | null {
  const { readyState, writeBuffer, transport } = conn as unknown as {
    readyState: string
    writeBuffer: unknown[]
    transport: Transport
  }
  const isFree = readyState === 'open' && transport.writable && writeBuffer.length === 0
  if (!isFree || transport.name !== 'websocket' || transport.perMessageDeflate) return null
  const { socket } = transport
  const connection = socket?.readyState === OPEN && socket._socket
  return connection && connection.writableLength === 0 ? connection : null
}

/** A message (4) with an event (2) of the main namespace, as in version 4 of Engine.IO's protocol and 5 of Socket.IO's. */
function eventText(event: string, payload: readonly unknown[]): string {
  return `42${JSON.stringify([event, ...payload])}`
}

/** A whole text message, unmasked as all from servers (RFC 6455, 5.2). */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = 0x81
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headLength)
  return frame
}
