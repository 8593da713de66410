import type { Socket } from 'node:net'
import type { Config } from '@solstice/adapters'
import { type Mode, streamBurstMs, type UiSettings } from '@solstice/contracts'
import { Failure, FRAME_MS, type StationClock } from '@solstice/station'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, type Origins } from '../limits/client-address.ts'
import { createConnectionCounter } from '../limits/connection-counter.ts'
import { bridge, leadIn, METADATA_INTERVAL, placeIn } from './icy.ts'
import type { AirMirror } from './mirror.ts'
import { frameStarts, type Segment, titleAt } from './ring.ts'

/** So far behind, a listener is carried to the live edge. */
const SKIP_BEHIND_MS = 10_000
/** So far behind, it is closed. */
const CLOSE_BEHIND_MS = 30_000
const CLOSE_BEHIND_BYTES = 500_000
/** Without sound for so long, all are closed: by now their players have nothing left, and may find another replica. */
const SILENT_MS = 30_000
/** A replica may hear of the newest chunks so much later than the one that a listener comes from. */
const NEAR_MS = 5_000
/** Of one address at a time: a campus or a mobile network may share it; nobody needs more. */
const MAX_PER_ADDRESS = 1_000
const RETRY_AFTER_S = 30
/** How long a closing listener may take to receive what was written. */
const FLUSH_MS = 1_000

/** Each chunk is handed out in slices, so that writing to thousands never blocks the process for long. */
const SLICES = 10
/** The part of a chunk's duration that handing it out takes; the rest is slack for a chunk that comes early. */
const SPREAD = 0.8

export interface FanOut {
  /**
   * Turns a request into a listener: answers with the burst, or from frame `from` on when the ring still has it or will
   * have it in a moment, and goes on until one side ends it.
   *
   * @throws {Failure} STREAM_NOT_READY when there is no sound to send, RATE_LIMITED when its address has enough already.
   */
  serve(request: FastifyRequest, reply: FastifyReply, options?: { from?: number }): Promise<void>
  /** How many are listening now. */
  readonly listeners: number
  /** How far the listener that is furthest behind is behind what this replica has, ms. */
  readonly lagMs: number
  /** Since the start: what was handed to connections, and how often one was carried to the live edge, or closed, for lateness. */
  readonly totals: Readonly<{ bytes: number; skips: number; closed: number }>
  /** Ends every stream behind a whole chunk. */
  close(): Promise<void>
}

interface StreamListener {
  readonly socket: Socket
  readonly wantsTitles: boolean
  /** Serial of the segment it gets next. */
  next: number
  readonly slice: StreamListener[]
  /** Its place in the slice. */
  place: number
}

/** Hands the broadcast out: one write of one shared buffer per listener and chunk. */
export function createFanOut(deps: {
  mirror: AirMirror
  clock: StationClock
  config: Pick<Config, 'streamBitrate' | 'publicServerUrl' | 'trustProxyHops'>
  uiSettings: () => UiSettings
  origins: Pick<Origins, 'isAllowedOrigin'>
  /** Told of each connection that is HTTP's no more. */
  onTaken?: (socket: Socket) => void
  maxPerAddress?: number
  silentMs?: number
}): FanOut {
  const { mirror, clock, config, silentMs = SILENT_MS } = deps
  const { ring } = mirror
  const slices: StreamListener[][] = Array.from({ length: SLICES }, () => [])
  const totals = { bytes: 0, skips: 0, closed: 0 }
  const counter = createConnectionCounter(deps.maxPerAddress ?? MAX_PER_ADDRESS)
  let isClosing = false

  const join = (socket: Socket, wantsTitles: boolean, next: number) => {
    const slice = slices.reduce((least, other) => (other.length < least.length ? other : least))
    const listener: StreamListener = { socket, wantsTitles, next, slice, place: slice.length }
    slice.push(listener)
    socket.once('close', () => leave(listener))
  }

  const leave = ({ slice, place }: StreamListener) => {
    const last = slice.pop()!
    if (last.place === place) return
    slice[place] = last
    last.place = place
  }

  const write = (socket: Socket, bytes: Buffer) => {
    totals.bytes += bytes.length
    socket.write(bytes)
  }

  /** Writes what the listener has not got yet up to a segment, as long as its socket takes it. */
  const advance = (listener: StreamListener, until: Segment) => {
    const { socket } = listener
    if (listener.next < until.serial) keepNear(listener, until)
    while (listener.next <= until.serial && socket.writableLength === 0 && !socket.destroyed) {
      const segment = ring.at(listener.next)
      if (!segment) return closeLate(socket)
      write(socket, listener.wantsTitles ? segment.framed.bytes : segment.chunk.audio)
      listener.next++
    }
  }

  /** Carries a listener that is too far behind to the live edge, or closes it. */
  const keepNear = (listener: StreamListener, edge: Segment) => {
    const { socket } = listener
    const segment = ring.at(listener.next)
    const behindMs = segment ? edge.toMs - segment.fromMs : Number.POSITIVE_INFINITY
    const behindBytes = segment ? edge.byte + edge.chunk.audio.length - segment.byte : 0
    if (!segment || behindMs >= CLOSE_BEHIND_MS || behindBytes >= CLOSE_BEHIND_BYTES) {
      closeLate(socket)
    } else if (behindMs >= SKIP_BEHIND_MS && socket.writableLength === 0) {
      if (listener.wantsTitles) {
        for (const part of bridge(segment.byte, edge.byte, titleAt(edge.chunk, 0))) write(socket, part)
      }
      totals.skips++
      listener.next = edge.serial
    }
  }

  const closeLate = (socket: Socket) => {
    totals.closed++
    // A reset also frees what the kernel still holds for it.
    socket.resetAndDestroy()
  }

  const serveSlice = (slice: StreamListener[], edge: Segment) => {
    for (let place = slice.length - 1; place >= 0; place--) advance(slice[place]!, edge)
  }

  const round = createRound(SLICES, (index, edge: Segment) => serveSlice(slices[index]!, edge))
  const silence = setTimeout(() => endAll(), silentMs).unref()
  const unsubscribe = mirror.onChunk((segment) => {
    silence.refresh()
    round.begin(segment, (segment.chunk.frames * FRAME_MS * SPREAD) / SLICES)
  })

  const endAll = () => {
    for (const { socket } of slices.flat()) socket.destroySoon()
  }

  /** Waits for a frame that is about to come. */
  const untilNear = async (frame: number) => {
    const endOf = ({ chunk }: Segment) => chunk.frame + chunk.frames
    const aheadMs = (frame - endOf(ring.newest!)) * FRAME_MS
    if (aheadMs <= 0 || aheadMs > NEAR_MS) return
    let forget = () => {}
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, NEAR_MS)
      const unsubscribe = mirror.onChunk((segment) => {
        if (endOf(segment) >= frame) resolve()
      })
      forget = () => {
        clearTimeout(timer)
        unsubscribe()
      }
    })
    forget()
  }

  const refuseWithoutSound = () => {
    if (isClosing || !mirror.isFresh(clock.nowMs())) throw new Failure('STREAM_NOT_READY')
  }

  /** Where a new listener begins. */
  const startPoint = (wantsTitles: boolean, from: number | undefined): StartPoint => {
    const edge = ring.newest!
    if (from === edge.chunk.frame + edge.chunk.frames) {
      return { serial: edge.serial + 1, audioByte: 0, byte: edge.byte + edge.chunk.audio.length, frame: from }
    }
    const resumed = from === undefined ? null : ring.holding(from)
    if (resumed)
      return startPointAt(resumed, frameStarts(resumed.chunk.audio)[from! - resumed.chunk.frame] ?? 0)
    const first = ring.since(streamBurstMs)!
    if (!wantsTitles) return startPointAt(first, 0)
    for (let segment: Segment | null = first; segment; segment = ring.at(segment.serial + 1)) {
      const [behindBlock] = segment.framed.joins
      if (behindBlock) return startPointAt(segment, behindBlock.audio)
    }
    return startPointAt(first, 0)
  }

  /** All that there is from the entrance to the live edge. */
  const burst = ({ serial, audioByte, byte }: StartPoint, wantsTitles: boolean): Buffer[] => {
    const first = ring.at(serial)
    if (!first) return wantsTitles ? [leadIn(byte, 'before the block')] : []
    const parts = wantsTitles
      ? [leadIn(byte, 'behind the block'), first.framed.bytes.subarray(placeIn(first.framed, audioByte))]
      : [first.chunk.audio.subarray(audioByte)]
    for (let segment = ring.at(serial + 1); segment; segment = ring.at(segment.serial + 1)) {
      parts.push(wantsTitles ? segment.framed.bytes : segment.chunk.audio)
    }
    return parts
  }

  return {
    async serve(request, reply, { from } = {}) {
      refuseWithoutSound()
      if (from !== undefined) {
        await untilNear(from)
        refuseWithoutSound()
      }
      const address = addressOf(request.raw, config.trustProxyHops)
      if (!counter.hasRoom(address)) throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
      // A request that came behind others on one connection has no socket to take until they are answered.
      if (reply.raw.socket !== request.raw.socket) throw new Failure('BAD_REQUEST', { field: 'request' })
      const wantsTitles = request.headers['icy-metadata'] === '1'
      const begin = startPoint(wantsTitles, from)
      const origin = request.headers.origin
      const head = responseHead({
        wantsTitles,
        frame: begin.frame,
        requestId: request.id,
        name: stationName(deps.uiSettings(), mirror.state?.mode ?? 'day'),
        bitrate: config.streamBitrate,
        url: config.publicServerUrl,
        origin: origin && deps.origins.isAllowedOrigin(origin, request.raw) ? origin : null,
      })
      const socket = takeSocket(reply)
      deps.onTaken?.(socket)
      if (socket.destroyed) return
      socket.once('close', counter.acquire(address))
      if (request.method === 'HEAD') {
        socket.write(head)
        socket.destroySoon()
        return
      }
      socket.cork()
      socket.write(head)
      for (const part of burst(begin, wantsTitles)) write(socket, part)
      socket.uncork()
      join(socket, wantsTitles, ring.newest!.serial + 1)
    },
    get listeners() {
      return slices.reduce((sum, slice) => sum + slice.length, 0)
    },
    get lagMs() {
      const newest = ring.newest
      if (!newest) return 0
      const behindMs = ({ next }: StreamListener) =>
        next > newest.serial ? 0 : newest.toMs - (ring.at(next)?.fromMs ?? newest.fromMs)
      return slices.flat().reduce((most, listener) => Math.max(most, behindMs(listener)), 0)
    },
    totals,
    async close() {
      isClosing = true
      unsubscribe()
      round.end()
      clearTimeout(silence)
      const sockets = slices.flat().map(({ socket }) => socket)
      const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', resolve)))
      for (const socket of sockets) socket.destroySoon()
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, FLUSH_MS)
      await Promise.all(closed)
      clearTimeout(late)
    },
  }
}

/** A place in the broadcast: a byte of the audio of a segment, its position in all, and the first whole frame from there. */
interface StartPoint {
  serial: number
  audioByte: number
  byte: number
  frame: number
}

function startPointAt({ serial, chunk, byte }: Segment, audioByte: number): StartPoint {
  const index = frameStarts(chunk.audio).findIndex((start) => start >= audioByte)
  const frame = chunk.frame + (index < 0 ? chunk.frames : index)
  return { serial, audioByte, byte: byte + audioByte, frame }
}

/**
 * Serves slice after slice at a steady pace, each chunk in a round of its own. When a chunk comes before the last round is
 * over, the rest of that one is hurried; it still serves the older chunk only, so that nobody who got two at once waits
 * twice as long for the third.
 */
function createRound<Chunk>(slices: number, serve: (index: number, chunk: Chunk) => void) {
  let current: { chunk: Chunk; beganMs: number; spacingMs: number } | null = null
  let following: { chunk: Chunk; spacingMs: number } | null = null
  let index = 0
  let timer: NodeJS.Timeout | undefined

  const step = () => {
    if (!current) return
    serve(index++, current.chunk)
    if (index === slices) {
      current = following && { ...following, beganMs: performance.now() }
      following = null
      index = 0
      if (current) step()
      return
    }
    const dueMs = current.beganMs + index * current.spacingMs
    timer = setTimeout(step, following ? 0 : Math.max(0, dueMs - performance.now()))
  }
  return {
    begin(chunk: Chunk, spacingMs: number) {
      following = { chunk, spacingMs }
      clearTimeout(timer)
      if (!current) {
        current = { ...following, beganMs: performance.now() }
        following = null
      }
      step()
    },
    end: () => clearTimeout(timer),
  }
}

/**
 * Takes the connection away from the HTTP server: whatever the client still sends is read and forgotten, no timeout of
 * the server counts any more. The server itself still ends it when it closes.
 */
function takeSocket(reply: FastifyReply): Socket {
  reply.hijack()
  const { socket } = reply.request.raw
  reply.raw.detachSocket(socket)
  for (const event of ['data', 'end', 'timeout', 'drain', 'error']) socket.removeAllListeners(event)
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.on('data', forget)
  socket.on('end', endNow)
  socket.on('error', forget)
  return socket
}

function forget() {}

function endNow(this: Socket) {
  this.destroy()
}

/** The English radio name of the mode, as old players can show it. */
function stationName({ byLang: { en } }: UiSettings, mode: Mode): string {
  const name = mode === 'night' ? en.nightRadioName : en.dayRadioName
  return /^[\x20-\x7e]+$/.test(name) && name.trim() ? name.trim() : 'Radio'
}

/** Written by hand: HTTP's own writer would add chunked framing or a second `Connection`. */
function responseHead(about: {
  wantsTitles: boolean
  frame: number
  requestId: string
  name: string
  bitrate: number
  url: string
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
