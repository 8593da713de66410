import type { Socket } from 'node:net'
import type { Mode, UiSettings } from '@solstice/contracts'
import type { FastifyReply } from 'fastify'
import { METADATA_INTERVAL } from './icy.ts'

/**
 * Takes the connection over from the HTTP server: further data of the client is read and dropped, and the server's timeouts
 * no longer apply. The server still ends it when it closes.
 */
export function takeSocket(reply: FastifyReply): Socket {
  reply.hijack()
  const { socket } = reply.request.raw
  reply.raw.detachSocket(socket)
  for (const event of ['data', 'end', 'timeout', 'drain', 'error']) socket.removeAllListeners(event)
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.on('data', ignore)
  socket.on('end', endNow)
  socket.on('error', ignore)
  return socket
}

function ignore() {}

function endNow(this: Socket) {
  this.destroy()
}

/** The English radio name of the mode; 'Radio' when it is not ASCII, which old players require. */
export function stationName({ byLang: { en } }: UiSettings, mode: Mode): string {
  const name = mode === 'night' ? en.nightRadioName : en.dayRadioName
  return /^[\x20-\x7e]+$/.test(name) && name.trim() ? name.trim() : 'Radio'
}

/** The response head of a stream. Node's own writer would add chunked framing or a second `Connection`. */
export function responseHead(about: {
  wantsTitles: boolean
  /** The first whole frame that follows. */
  frame: number
  requestId: string
  name: string
  bitrate: number
  url: string
  /** The page that may read the stream; null = none. */
  origin: string | null
}): Buffer {
  const { origin } = about
  const lines = [
    'HTTP/1.1 200 OK',
    'Content-Type: audio/mpeg',
    'Cache-Control: no-cache, no-store',
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    'Server: Icecast 2.4.4',
    `icy-name: ${about.name}`,
    'icy-genre: Various',
    `icy-br: ${about.bitrate}`,
    'icy-pub: 0',
    ...(about.url ? [`icy-url: ${about.url}`] : []),
    ...(about.wantsTitles ? [`icy-metaint: ${METADATA_INTERVAL}`] : []),
    `X-Stream-Frame: ${about.frame}`,
    `X-Request-Id: ${about.requestId}`,
    'Vary: Origin',
    ...(origin
      ? [
          `Access-Control-Allow-Origin: ${origin}`,
          'Access-Control-Allow-Credentials: true',
          'Access-Control-Expose-Headers: X-Stream-Frame, X-Request-Id, icy-name, icy-br, icy-metaint',
        ]
      : []),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
