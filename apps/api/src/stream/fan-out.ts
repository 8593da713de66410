import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '@solstice/adapters'
import type { Mode, UiSettings } from '@solstice/contracts'
import {
  type DirectoryEntry,
  Failure,
  type Mount,
  repeatTogether,
  type StationClock,
} from '@solstice/station'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, type Origins } from '../limits/client-address.ts'
import type { ConnectionCounter } from '../limits/connection-counter.ts'
import { createListeners, MOMENTS, type StreamTotals } from './listeners.ts'
import type { MountMirror } from './mount-mirror.ts'
import { createHeads, stationName, takeSocket } from './response.ts'
import type { Segment } from './ring.ts'
import { type Beginning, beginning, createBeginnings } from './start-point.ts'
import { createLater } from './turns/later.ts'
import { createRounds } from './turns/rounds.ts'

/** By now players have nothing left to play and may find another replica. */
const SILENT_MS = 30_000
/** How much later this replica may receive a chunk than the one that a resuming listener comes from. */
const NEAR_MS = 5_000
const RETRY_AFTER_S = 30
/** How long a closing listener may take to receive what was written. */
const FLUSH_TIMEOUT_MS = 1_000

/** Beginning of a burst: when many come at once, the rest of each waits until all have this much. */
const FIRST_BYTES = 16 * 1024

/** The part of a chunk's duration in which it is handed out; the rest is slack for a chunk that comes early. */
const SPREAD = 0.8
/** For so many listeners the process wakes once a round: a sixth of them have their turn, and waking costs as much as twenty writes. */
const AT_ONCE = 1_000
/** When no chunk has come for so long, or half as much longer, nobody waits for his turn: everyone gets what there is. */
const LATE_MS = 1_000
/** A chunk that is so much behind its time is handed to everyone at once, as long as reserves are short. */
const BEHIND_MS = 1_500

export interface FanOut {
  /**
   * Turns a request into a listener: answers with the burst, or from frame `from` on when the ring has it or is about to
   * have it, and goes on until one side ends it.
   *
   * @param options.isForAllSites pages of every site may read it, without credentials.
   * @throws {Failure} STREAM_NOT_READY when there is no sound to send, RATE_LIMITED when the address has too many streams.
   */
  serve(
    request: FastifyRequest,
    reply: FastifyReply,
    options?: { from?: number; isForAllSites?: boolean },
  ): Promise<void>
  /**
   * The same for a request outside the framework, by any page and without a frame to begin with. False leaves it as it was: it has to be
   * refused.
   */
  take(request: IncomingMessage, response: ServerResponse, requestId: string): boolean
  /** Number of listeners now. */
  readonly listeners: number
  /** How far the last listener is behind this replica, in ms. */
  readonly lagMs: number
  readonly totals: Readonly<StreamTotals>
  /** Ends every stream behind a whole chunk. */
  close(): Promise<void>
}

export interface FanOutDeps {
  mirror: MountMirror
  mount: Mount
  clock: StationClock
  config: Pick<Config, 'publicServerUrl' | 'trustProxyHops'>
  /** The programme on air. */
  mode: () => Mode
  settings: { now(): UiSettings; directory(): DirectoryEntry }
  origins: Pick<Origins, 'isAllowedOrigin'>
  /** Called with each connection taken over from HTTP. */
  onTaken?: (socket: Socket) => void
  /** Streams per address, of all mounts. */
  counter: ConnectionCounter
  silentMs?: number
  lateMs?: number
}

/** Hands a mount out: one write of one shared buffer per listener, each time a write is due. */
export function createFanOut(deps: FanOutDeps): FanOut {
  const { mirror, clock, silentMs = SILENT_MS, lateMs = LATE_MS } = deps
  const { ring } = mirror
  const listeners = createListeners(ring)
  let isClosing = false

  const beginnings = createBeginnings(ring)
  const headFor = createHeadFor(deps)
  const later = createLater<Joining>(({ socket, wantsTitles, begins }) => {
    if (socket.destroyed) return
    listeners.write(socket, begins.burst.subarray(FIRST_BYTES))
    listeners.add(socket, { wantsTitles, ...begins })
  })
  const rounds = createRounds<{ edge: Segment; everyone: boolean }>(MOMENTS, (moment, { edge, everyone }) =>
    listeners.serving(moment, edge, everyone),
  )
  const beginRound = (edge: Segment, everyone: boolean) => {
    if (listeners.size === 0) return
    const wakes = Math.min(MOMENTS, Math.ceil(listeners.size / AT_ONCE))
    const spacingMs = ((edge.toMs - edge.fromMs) * SPREAD) / wakes
    rounds.begin({ edge, everyone }, (moment) => Math.floor((moment * wakes) / MOMENTS) * spacingMs)
  }
  const serveNow = () => {
    later.flush()
    for (let moment = 0; ring.newest && moment < MOMENTS; moment++) listeners.serve(moment, ring.newest, true)
  }
  const endAll = () => {
    serveNow()
    for (const socket of listeners.sockets()) socket.destroySoon()
  }
  const silence = setTimeout(endAll, silentMs).unref()
  let cameMs = performance.now()
  let isLate = false
  const stopWatching = repeatTogether(lateMs / 2, () => {
    if (isLate || performance.now() - cameMs < lateMs) return
    isLate = true
    if (ring.newest) beginRound(ring.newest, true)
  })
  const unsubscribe = mirror.onChunk((segment) => {
    silence.refresh()
    cameMs = performance.now()
    isLate = false
    const endsAtMs = segment.chunk.atMs + segment.toMs - segment.fromMs
    beginRound(segment, clock.nowMs() - endsAtMs > BEHIND_MS)
  })

  const canServe = () => !isClosing && mirror.isFresh(clock.nowMs())
  const wantsTitlesOf = ({ headers }: IncomingMessage) => headers['icy-metadata'] === '1' && !ring.isOgg

  /** Answers with the head and the burst, of which all but the beginning waits when others have come as well. */
  const welcome = (socket: Socket, head: Buffer, wantsTitles: boolean, begins: Beginning) => {
    const isWhole = begins.burst.length <= FIRST_BYTES || later.isFree()
    listeners.write(socket, isWhole ? begins.burst : begins.burst.subarray(0, FIRST_BYTES), head)
    if (isWhole) listeners.add(socket, { wantsTitles, ...begins })
    else later.add({ socket, wantsTitles, begins })
  }

  return {
    async serve({ raw: request, id }, reply, { from, isForAllSites = false } = {}) {
      const refuseWithoutSound = () => {
        if (!canServe()) throw new Failure('STREAM_NOT_READY')
      }
      refuseWithoutSound()
      if (from !== undefined) {
        // The page with a frame is there when that frame has come, not when those before it have.
        await untilNear(mirror, ring.isOgg ? from + 1 : from)
        refuseWithoutSound()
      }
      const wantsTitles = wantsTitlesOf(request)
      const begins = from === undefined ? beginnings(wantsTitles) : beginning(ring, wantsTitles, from)
      const head = headFor(request, id, { wantsTitles, frame: begins.frame, isForAllSites })
      const address = addressOf(request, deps.config.trustProxyHops)
      if (!deps.counter.hasRoom(address)) throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
      // A pipelined request has no socket to take until those before it are answered.
      if (reply.raw.socket !== request.socket) throw new Failure('BAD_REQUEST', { field: 'request' })
      reply.hijack()
      const socket = takeOver(request, reply.raw, address, deps)
      if (socket.destroyed) return
      if (request.method === 'HEAD') {
        socket.write(head)
        socket.destroySoon()
        return
      }
      welcome(socket, head, wantsTitles, begins)
    },
    take(request, response, requestId) {
      const address = addressOf(request, deps.config.trustProxyHops)
      if (!canServe() || !deps.counter.hasRoom(address) || response.socket !== request.socket) return false
      const wantsTitles = wantsTitlesOf(request)
      const begins = beginnings(wantsTitles)
      const head = headFor(request, requestId, { wantsTitles, frame: begins.frame, isForAllSites: true })
      const socket = takeOver(request, response, address, deps)
      if (!socket.destroyed) welcome(socket, head, wantsTitles, begins)
      return true
    },
    get listeners() {
      return listeners.size + later.size
    },
    get lagMs() {
      return listeners.lagMs
    },
    totals: listeners.totals,
    async close() {
      isClosing = true
      unsubscribe()
      rounds.end()
      clearTimeout(silence)
      stopWatching()
      serveNow()
      await endGracefully(listeners.sockets())
    },
  }
}

/** A listener that has got the beginning of its burst. */
interface Joining {
  socket: Socket
  wantsTitles: boolean
  begins: Beginning
}

/** Takes a connection over from HTTP, as one of the streams of its address. */
function takeOver(
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
  { counter, onTaken }: FanOutDeps,
): Socket {
  const socket = takeSocket(request, response)
  onTaken?.(socket)
  if (!socket.destroyed) socket.once('close', counter.acquire(address))
  return socket
}

/** Waits for a frame that is about to come. */
async function untilNear({ ring, onChunk }: MountMirror, frame: number): Promise<void> {
  const endOf = ({ chunk }: Segment) => chunk.frame + chunk.frames
  const aheadMs = (frame - endOf(ring.newest!)) * ring.frameMs
  if (aheadMs <= 0 || aheadMs > NEAR_MS) return
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(done, NEAR_MS)
    const unsubscribe = onChunk((segment) => {
      if (endOf(segment) >= frame) done()
    })
  })
}

function createHeadFor({ mount, config, mode, settings, origins }: FanOutDeps) {
  const responseHead = createHeads()
  return (
    request: IncomingMessage,
    requestId: string,
    { isForAllSites, ...start }: { wantsTitles: boolean; frame: number; isForAllSites: boolean },
  ): Buffer => {
    const { origin } = request.headers
    const isAllowed = origin !== undefined && origins.isAllowedOrigin(origin, request)
    return responseHead({
      ...start,
      httpVersion: request.httpVersion,
      mount,
      requestId,
      name: stationName(settings.now(), mode()),
      url: config.publicServerUrl,
      directory: settings.directory(),
      origin: isAllowed ? origin : origin && isForAllSites ? '*' : null,
    })
  }
}

/** Ends sockets after what was written, or by force after a second. */
async function endGracefully(sockets: Socket[]): Promise<void> {
  const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', resolve)))
  for (const socket of sockets) socket.destroySoon()
  const late = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, FLUSH_TIMEOUT_MS)
  await Promise.all(closed)
  clearTimeout(late)
}
