import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { finished } from 'node:stream'
import { Failure } from '@solstice/station'

/** How slowly bodies may arrive. */
export interface BodyPace {
  /** From the head of a request to the end of its body, unless the body is streamed. */
  limitMs: number
  /** Time for a streamed body beyond what the minimum rate allows. */
  graceMs: number
  minBytesPerS: number
}

const USUAL: BodyPace = { limitMs: 30_000, graceMs: 10_000, minBytesPerS: 8_000 }

/** The unread rest of a body up to this size is read and dropped; a larger one costs the connection. */
const MAX_SWALLOWED_BYTES = 64 * 1024
/** A closing connection still reads within these bounds, since a client that cannot finish sending would not read the reply. */
export const LINGER_MS = 5_000
const LINGER_BYTES = 8 * 1024 * 1024

export interface RequestBodies {
  /** Sends 100 Continue to a client that waits for it (`Expect: 100-continue`). */
  sendContinue(request: IncomingMessage): void
  /**
   * The body piece by piece, each read when the one before was taken. The rest stays unread when the reader stops.
   *
   * @throws Failure PAYLOAD_TOO_LARGE at the first piece too many, REQUEST_TIMEOUT when it arrives too slowly (the reader's
   * own time does not count), BAD_REQUEST when the sender is gone.
   */
  stream(request: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array>
}

/** Watches the bodies that a server receives. @param refuseSlow answers on the connection of a body that took too long. */
export function watchBodies(
  server: Server,
  refuseSlow: (socket: Socket) => void,
  pace: BodyPace = USUAL,
): RequestBodies {
  const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()
  const waiting = new WeakMap<IncomingMessage, ServerResponse>()

  const end = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (request.complete) return
    // A second reply in the middle of one would be read as part of it.
    if (response.headersSent || response.socket !== socket) return void socket.destroy()
    refuseSlow(socket)
    socket.destroySoon()
  }
  const exempt = (request: IncomingMessage) => clearTimeout(deadlines.get(request))

  const expect = (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return
    deadlines.set(request, setTimeout(end, pace.limitMs, request, response).unref())
    request.once('end', () => exempt(request)).once('close', () => exempt(request))
  }
  // Registered late, because socket.io moves existing listeners behind its own and keeps its requests from them.
  server.once('listening', () => server.prependListener('request', expect))
  // A client that asks first does not have to send a body that is refused anyway.
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  const sendContinue = (request: IncomingMessage) => {
    waiting.get(request)?.writeContinue()
    waiting.delete(request)
  }

  return {
    sendContinue,
    stream(request, maxBytes) {
      return readPieces(request, maxBytes, pace, () => {
        exempt(request)
        sendContinue(request)
      })
    },
  }
}

/** @param begin called when the first piece is asked for. */
async function* readPieces(
  request: IncomingMessage,
  maxBytes: number,
  pace: BodyPace,
  begin: () => void,
): AsyncGenerator<Uint8Array> {
  let ending = null as { error: unknown } | null
  let wake = () => {}
  const onReadable = () => wake()
  const forget = finished(request, { writable: false }, (error) => {
    ending = { error }
    wake()
  })
  request.on('readable', onReadable)
  begin()
  let bytes = 0
  let waitedMs = 0
  try {
    for (;;) {
      const piece: Buffer | null = request.destroyed ? null : request.read()
      if (piece) {
        bytes += piece.length
        if (bytes > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
        yield piece
      } else if (ending) {
        if (ending.error) throw new Failure('BAD_REQUEST', { field: 'body' })
        return
      } else {
        const allowedMs = pace.graceMs + (bytes / pace.minBytesPerS) * 1000
        const askedAtMs = performance.now()
        const isLate = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, allowedMs - waitedMs), true)
          wake = () => {
            clearTimeout(timer)
            resolve(false)
          }
        })
        waitedMs += performance.now() - askedAtMs
        if (isLate) throw new Failure('REQUEST_TIMEOUT')
      }
    }
  } finally {
    request.off('readable', onReadable)
    forget()
  }
}

/**
 * True when the connection must close after the reply, because more of the body would arrive than is worth reading. The client
 * can then still read the reply, even while it goes on sending. To be called before the reply is written.
 *
 * @param isClosing whether the connection closes anyway.
 */
export function mustClose(request: IncomingMessage, isClosing: boolean): boolean {
  const isSmall = Number(request.headers['content-length']) <= MAX_SWALLOWED_BYTES
  if (request.complete !== false || !hasBody(request)) return false
  if (isSmall && !isClosing && !request.readableDidRead) return false
  if (!Object.hasOwn(request.socket, 'destroySoon')) discard(request)
  return true
}

/** Reads and drops the rest of a body, within bounds, and ends the connection after the reply. */
function discard(request: IncomingMessage): void {
  const { socket } = request
  let left = LINGER_BYTES
  request
    .on('data', (piece: Buffer) => {
      left -= piece.length
      if (left < 0) request.pause()
    })
    .on('error', () => {})
    .resume()
  const closeNow = () => Socket.prototype.destroySoon.call(socket)
  // Node calls this when the reply is written. Closing at once would reset the connection and lose the reply.
  socket.destroySoon = () => {
    if (request.complete) return closeNow()
    request.once('end', closeNow)
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer)).end()
  }
}

/** True when a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}
