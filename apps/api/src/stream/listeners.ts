import type { Socket } from 'node:net'
import { bridge } from './icy.ts'
import { headersBetween } from './ogg.ts'
import { type Ring, type Segment, titleAt } from './ring.ts'
import { isFree, isOpen, type Line, lineTo, writeLine, writeStraight } from './straight-write.ts'

/** Moments within a round at which listeners are served, so that writing to thousands never blocks the process for long. */
export const MOMENTS = 5
/** Segments that a listener with a reserve gets in one write. */
export const CADENCE = 6
/** With this much in hand a listener can wait for its turn: 3 s of cadence, half a second of round, and 4 s to spare. */
const STEADY_MS = 7_500

/** A listener this far behind skips to the live edge, */
const SKIP_BEHIND_MS = 10_000
/** and one this far behind is disconnected. */
const CLOSE_BEHIND_MS = 30_000
const CLOSE_BEHIND_BYTES = 500_000

/** Totals since the start. */
export interface StreamTotals {
  /** Bytes handed to connections. */
  bytes: number
  /** Late listeners that were moved to the live edge. */
  skips: number
  /** Late listeners that were disconnected. */
  closed: number
}

/** Where a listener stands when it is added. */
interface Start {
  wantsTitles: boolean
  /** Serial of the next segment to write. */
  next: number
  /** Sound that it has got at once, in ms. */
  reserveMs: number
}

/**
 * The connected listeners of the stream. One with a reserve gets six segments at a time, joined in a buffer that all share; any
 * other gets each segment as it comes.
 */
export interface Listeners {
  /** Adds a listener. It leaves when its socket closes. */
  add(socket: Socket, start: Start): void
  /** Writes what is due at a moment of the round that ends at `edge`, or with `everyone` what anybody lacks. */
  serve(moment: number, edge: Segment, everyone: boolean): void
  /** The same, a listener at each step. Those who leave or join between two steps change nothing for the others. */
  serving(moment: number, edge: Segment, everyone: boolean): Iterator<unknown>
  /** Writes to one socket and counts the bytes, but those of a head before them. */
  write(socket: Socket, bytes: Buffer, head?: Buffer): void
  readonly size: number
  /** How far the last listener is behind the newest segment, in ms; one that waits for its turn is not. */
  readonly lagMs: number
  readonly totals: Readonly<StreamTotals>
  sockets(): Socket[]
}

interface Slice {
  /** Has its turn at each serial that leaves no rest when divided by `every`, `shift` serials earlier. */
  readonly every: number
  readonly shift: number
  /** Serial up to which it was served. */
  served: number
  readonly members: StreamListener[]
}

interface StreamListener extends Line {
  readonly wantsTitles: boolean
  /** Serial of the next segment to write. */
  next: number
  readonly slice: Slice
  /** Index in the slice. */
  place: number
}

export function createListeners(ring: Ring): Listeners {
  const eager = slicesOf(1)
  const steady = slicesOf(CADENCE)
  const slices = [...eager, ...steady]
  const all = () => slices.flatMap(({ members }) => members)
  const { totals, write, advance } = createWriter(ring)

  function* serving(moment: number, edge: Segment, everyone: boolean) {
    for (let index = moment; index < slices.length; index += MOMENTS) {
      const slice = slices[index]!
      if (!everyone && !hasTurn(slice, edge.serial)) continue
      slice.served = edge.serial
      // From the end, because a removal moves the last listener, which has been served, into the gap.
      for (let place = slice.members.length - 1; place >= 0; place--) {
        const listener = slice.members[place]
        if (listener) yield advance(listener, edge)
      }
    }
  }

  return {
    write,
    totals,
    serving,
    add(socket, { reserveMs, wantsTitles, next }) {
      const slice = (reserveMs >= STEADY_MS ? steady : eager).reduce((least, other) =>
        other.members.length < least.members.length ? other : least,
      )
      const { fd, mayWait } = lineTo(socket)
      // Named one by one they are beside each other in memory.
      const place = slice.members.length
      const listener: StreamListener = { socket, fd, mayWait, wantsTitles, next, slice, place }
      slice.members.push(listener)
      socket.once('close', () => remove(listener))
    },
    serve(moment, edge, everyone) {
      const steps = serving(moment, edge, everyone)
      while (!steps.next().done);
    },
    get size() {
      return slices.reduce((sum, { members }) => sum + members.length, 0)
    },
    get lagMs() {
      const { newest } = ring
      if (!newest) return 0
      const behindMs = ({ next, slice }: StreamListener) =>
        next > slice.served ? 0 : newest.toMs - (ring.at(next)?.fromMs ?? newest.fromMs)
      return all().reduce((most, listener) => Math.max(most, behindMs(listener)), 0)
    },
    sockets: () => all().map(({ socket }) => socket),
  }
}

/** Writes to listeners, as far as each is near the live edge and its socket takes it; counts what happens. */
function createWriter(ring: Ring) {
  const totals: StreamTotals = { bytes: 0, skips: 0, closed: 0 }
  const joined = createJoins(ring)

  const write = (socket: Socket, bytes: Buffer, head?: Buffer) => {
    totals.bytes += bytes.length
    if (head) writeStraight(socket, head, bytes)
    else writeStraight(socket, bytes)
  }
  const hand = (listener: StreamListener, bytes: Buffer) => {
    totals.bytes += bytes.length
    writeLine(listener, bytes)
  }

  const closeLate = (socket: Socket) => {
    totals.closed++
    // A reset also frees what the kernel still buffers for it.
    socket.resetAndDestroy()
  }

  /** Moves a listener that is too far behind to the live edge, or disconnects it. */
  const keepNear = (listener: StreamListener, edge: Segment) => {
    const { socket } = listener
    const segment = ring.at(listener.next)
    const behindMs = segment ? edge.toMs - segment.fromMs : Number.POSITIVE_INFINITY
    const behindBytes = segment ? edge.byte + edge.chunk.audio.length - segment.byte : 0
    if (!segment || behindMs >= CLOSE_BEHIND_MS || behindBytes >= CLOSE_BEHIND_BYTES) {
      closeLate(socket)
    } else if (behindMs >= SKIP_BEHIND_MS && isFree(listener)) {
      if (listener.wantsTitles) {
        for (const part of bridge(segment.byte, edge.byte, titleAt(edge.chunk, 0))) hand(listener, part)
      }
      if (ring.isOgg) for (const part of headersBetween(segment.chunk, edge.chunk)) hand(listener, part)
      totals.skips++
      listener.next = edge.serial
    }
  }

  /** Writes the segments that a listener lacks, while its socket takes them. */
  const advance = (listener: StreamListener, edge: Segment) => {
    // Closed, and not yet removed.
    if (!isOpen(listener)) return
    if (listener.next < edge.serial) keepNear(listener, edge)
    while (listener.next <= edge.serial && isOpen(listener) && isFree(listener)) {
      const last = listener.next + CADENCE > edge.serial ? edge.serial : listener.next
      const bytes = joined(listener.next, last, listener.wantsTitles)
      if (!bytes) return closeLate(listener.socket)
      hand(listener, bytes)
      listener.next = last + 1
    }
  }

  return { totals, write, advance }
}

/** Slices for each moment of as many rounds as there are between two turns. */
function slicesOf(every: number): Slice[] {
  return Array.from({ length: MOMENTS * every }, (_, i) => ({
    every,
    shift: Math.floor(i / MOMENTS),
    served: -1,
    members: [],
  }))
}

/** True when a turn of the slice came since it was served; turns keep their order however rounds were hurried. */
function hasTurn({ every, shift, served }: Slice, serial: number): boolean {
  return Math.floor((serial + shift) / every) > Math.floor((served + shift) / every)
}

/** Joins the segments before an edge, once for all who lack the same; keeps what was joined until the edge moves. */
function createJoins(ring: Ring) {
  let edge = -1
  let kept = new Map<number, Buffer>()
  return (first: number, last: number, wantsTitles: boolean): Buffer | null => {
    const bytesAt = (serial: number) => {
      const segment = ring.at(serial)
      return segment && (wantsTitles ? segment.framed.bytes : segment.chunk.audio)
    }
    if (first === last) return bytesAt(first)
    if (edge !== last) {
      edge = last
      kept = new Map()
    }
    const key = wantsTitles ? first : -1 - first
    const before = kept.get(key)
    if (before) return before
    const parts: Buffer[] = []
    for (let serial = first; serial <= last; serial++) {
      const part = bytesAt(serial)
      if (!part) return null
      parts.push(part)
    }
    const bytes = Buffer.concat(parts)
    kept.set(key, bytes)
    return bytes
  }
}

function remove({ slice: { members }, place }: StreamListener): void {
  const last = members.pop()!
  if (last.place === place) return
  members[place] = last
  last.place = place
}
