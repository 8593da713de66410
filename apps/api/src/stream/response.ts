import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Mode, UiSettings } from '@solstice/contracts'
import { codecs, type DirectoryEntry, Failure, type Mount } from '@solstice/station'
import type { FastifyReply } from 'fastify'
import { noteTaken } from '../http/errors.ts'
import { METADATA_INTERVAL } from './icy.ts'
import { createPieces } from './turns/pieces.ts'

/**
 * Takes the connection over from the HTTP server: further data of the client is read and dropped, and the server's timeouts
 * no longer apply. The server still ends it when it closes.
 */
export function takeSocket(request: IncomingMessage, response: ServerResponse): Socket {
  const { socket } = request
  response.detachSocket(socket)
  noteTaken(socket)
  for (const event of ['data', 'end', 'timeout', 'drain', 'error']) socket.removeAllListeners(event)
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.on('data', ignore)
  socket.on('end', hungUp)
  socket.on('error', ignore)
  // Read to its end, a request ends by itself. Otherwise the server would break it off when the listener leaves, with the stack of an
  // error: for a crowd that leaves at once that is most of the work.
  request.resume()
  return socket
}

function ignore() {}

/** Closing a connection takes as long as several writes. */
const closings = createPieces<Socket>((socket) => socket.destroy())

function hungUp(this: Socket) {
  closings.add(this)
}

/** The English radio name of the mode; 'Radio' when it is not ASCII, which old players require. */
export function stationName({ byLang: { en } }: UiSettings, mode: Mode): string {
  const name = mode === 'night' ? en.nightRadioName : en.dayRadioName
  return /^[\x20-\x7e]+$/.test(name) && name.trim() ? name.trim() : 'Radio'
}

/** Facts that the response head of a stream carries. */
export interface HeadFacts {
  /** Of the request: a player that speaks HTTP/1.0 is answered in it. */
  httpVersion: string
  mount: Mount
  wantsTitles: boolean
  /** The first whole frame that follows. */
  frame: number
  requestId: string
  name: string
  /** Home page of the station. */
  url: string
  directory: DirectoryEntry
  /** The page that may read the stream; `*` = every page, without credentials; null = none. */
  origin: string | null
}

/** The response head of a stream. Node's own writer would add chunked framing or a second `Connection`. */
export function responseHead(facts: HeadFacts): Buffer {
  return headOf(headParts(facts), facts)
}

/** Writes response heads; what many have in common is written once. */
export function createHeads(): typeof responseHead {
  let kept = new Map<string, HeadParts>()
  let from: Pick<HeadFacts, 'mount' | 'name' | 'url' | 'directory'> | null = null
  return (facts) => {
    const { mount, name, url, directory, origin } = facts
    const isSame = from?.mount === mount && from.name === name && from.url === url
    if (!isSame || from?.directory !== directory) kept = new Map()
    from = { mount, name, url, directory }
    // Of the pages that may read it with credentials there are too many to keep each.
    if (origin !== null && origin !== '*') return responseHead(facts)
    const key = `${facts.httpVersion} ${facts.wantsTitles} ${origin}`
    const parts = kept.get(key) ?? headParts(facts)
    kept.set(key, parts)
    return headOf(parts, facts)
  }
}

/** A head around the numbers that differ for each listener. */
type HeadParts = readonly [before: string, behind: string]

function headOf([before, behind]: HeadParts, { frame, requestId }: HeadFacts): Buffer {
  return Buffer.from(`${before}X-Stream-Frame: ${frame}\r\nX-Request-Id: ${requestId}\r\n${behind}`, 'utf8')
}

function headParts(facts: Omit<HeadFacts, 'frame' | 'requestId'>): HeadParts {
  const { origin, mount, directory } = facts
  const icy: Record<string, string | number> = {
    'icy-name': facts.name,
    'icy-genre': directory.genre || 'Various',
    'icy-br': mount.bitrate,
    'icy-pub': directory.isPublic ? 1 : 0,
    ...forDirectories(directory, directory.url || facts.url),
    ...(facts.wantsTitles && { 'icy-metaint': METADATA_INTERVAL }),
  }
  const before = [
    `HTTP/${facts.httpVersion === '1.0' ? '1.0' : '1.1'} 200 OK`,
    `Content-Type: ${codecs[mount.codec].contentType}`,
    'Cache-Control: no-cache, no-store',
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    'Server: Icecast 2.4.4',
    ...Object.entries(icy).map(([name, value]) => `${name}: ${value}`),
  ]
  const behind = [
    'Vary: Origin',
    ...(origin
      ? [
          `Access-Control-Allow-Origin: ${origin}`,
          ...(origin === '*' ? [] : ['Access-Control-Allow-Credentials: true']),
          `Access-Control-Expose-Headers: ${['X-Stream-Frame', 'X-Request-Id', ...Object.keys(icy)].join(', ')}`,
        ]
      : []),
  ]
  return [`${before.join('\r\n')}\r\n`, `${behind.join('\r\n')}\r\n\r\n`]
}

/** The headers that directories of stations read (https://www.stream-meta.info), without the empty ones. */
function forDirectories(entry: DirectoryEntry, url: string): Record<string, string> {
  const headers = {
    'icy-url': url,
    'icy-description': entry.description,
    'icy-logo': entry.logo,
    'icy-country-code': entry.countryCode,
    'icy-language-codes': entry.languageCodes,
    'icy-geo-lat-long': entry.geoLatLong,
    'icy-main-stream-url': entry.mainStreamUrl,
    'icy-version': entry.isPublic ? '2' : '',
    'icy-index-metadata': entry.isPublic ? '1' : '',
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

/** Proxies close connections that are silent for a minute. */
export const HEARTBEAT_MS = 15_000
/** Says nothing, and keeps a connection open. */
export const COMMENT = ':\n\n'

/**
 * Takes a connection over for server-sent events. It has left HTTP, so the end of the body is the end of the connection.
 *
 * @returns the connection, and the head that it has to begin with.
 * @throws Failure BAD_REQUEST for a request behind others that are not answered yet: it has no connection to take.
 */
export function takeEventStream(reply: FastifyReply): { socket: Socket; head: string } {
  if (reply.raw.socket !== reply.request.raw.socket) throw new Failure('BAD_REQUEST', { field: 'request' })
  const head = eventHeadOf(reply)
  reply.hijack()
  return { socket: takeSocket(reply.request.raw, reply.raw), head }
}

function eventHeadOf(reply: FastifyReply): string {
  const cors = Object.entries(reply.getHeaders()).filter(([name]) => /^(access-control-|vary$)/i.test(name))
  const lines = [
    'HTTP/1.1 200 OK',
    'Content-Type: text/event-stream; charset=utf-8',
    'Cache-Control: no-store, no-transform',
    'Connection: close',
    'X-Accel-Buffering: no',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${reply.request.id}`,
    ...cors.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
