import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { finished } from 'node:stream'
import { Failure } from '@solstice/station'

/** How slowly bodies may come. */
export interface BodyPace {
  /** The time that a body has from its head to its end, unless it is streamed. */
  limitMs: number
  /** What a streamed body may take beside what the least rate allows. */
  graceMs: number
  minBytesPerS: number
}

const USUAL: BodyPace = { limitMs: 30_000, graceMs: 10_000, minBytesPerS: 8_000 }

/** The rest of a body that nobody reads any more is let in up to this size; what is larger costs the connection. */
const MAX_SWALLOWED_BYTES = 64 * 1024
/** So long, and for so many bytes, does a closing connection still take in: else its client could not read the answer. */
const LINGER_MS = 5_000
const LINGER_BYTES = 8 * 1024 * 1024

export interface RequestBodies {
  /** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
  sendContinue(request: IncomingMessage): void
  /**
   * The body piece by piece, each when the one before was taken. What of it is not taken stays unread.
   *
   * @throws Failure PAYLOAD_TOO_LARGE at the first piece too many, REQUEST_TIMEOUT when it comes too slowly, time that
   * the reader takes not counted, BAD_REQUEST when the sender is gone.
   */
  stream(request: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array>
}

/**
 * Watches over the bodies that a server receives.
 *
 * @param refuseSlow answers on the connection of a body that took too long.
 */
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
    // In the middle of an answer another one would only be taken for a part of it.
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
  // Not before, because others put themselves in front of those who listen already, and keep some requests to themselves.
  server.once('listening', () => server.prependListener('request', expect))
  // Whoever asks first is not made to send what is refused anyway.
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  const letCome = (request: IncomingMessage) => {
    waiting.get(request)?.writeContinue()
    waiting.delete(request)
  }

  return {
    sendContinue: letCome,
    async *stream(request, maxBytes) {
      let ending = null as { error: unknown } | null
      let wake = () => {}
      const onReadable = () => wake()
      const forget = finished(request, { writable: false }, (error) => {
        ending = { error }
        wake()
      })
      request.on('readable', onReadable)
      exempt(request)
      letCome(request)
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
    },
  }
}

/**
 * To be asked before an answer is written: whether the connection has to be closed after it, because more of the body
 * would come than is worth reading. The client can then still read the answer, also while it goes on sending.
 *
 * @param isClosing the connection is closed anyway.
 */
export function mustClose(request: IncomingMessage, isClosing: boolean): boolean {
  const isSmall = Number(request.headers['content-length']) <= MAX_SWALLOWED_BYTES
  if (request.complete !== false || !hasBody(request)) return false
  if (isSmall && !isClosing && !request.readableDidRead) return false
  if (!Object.hasOwn(request.socket, 'destroySoon')) discard(request)
  return true
}

/** Lets the rest of a body pass, within bounds, and the connection end when its answer is written. */
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
  // Node calls this when the answer is written. Closing at once would reset the connection, answer included.
  socket.destroySoon = () => {
    if (request.complete) return closeNow()
    request.once('end', closeNow)
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer)).end()
  }
}

/** Whether a request comes with more than its head. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}
