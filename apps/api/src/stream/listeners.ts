import type { Socket } from 'node:net'
import { bridge } from './icy.ts'
import { type Ring, type Segment, titleAt } from './ring.ts'

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

/** The connected listeners of the stream, in slices of about equal size that are served one after another. */
export interface Listeners {
  /** Adds a listener that gets segments from the serial `next` on. It leaves when its socket closes. */
  add(socket: Socket, wantsTitles: boolean, next: number): void
  /** Writes to each listener of a slice the segments up to `edge`: one write of one shared buffer each. */
  serve(slice: number, edge: Segment): void
  /** Writes to one socket and counts the bytes. */
  write(socket: Socket, bytes: Buffer): void
  readonly size: number
  /** How far the last listener is behind the newest segment, in ms. */
  readonly lagMs: number
  readonly totals: Readonly<StreamTotals>
  sockets(): Socket[]
}

interface StreamListener {
  readonly socket: Socket
  readonly wantsTitles: boolean
  /** Serial of the next segment to write. */
  next: number
  readonly slice: StreamListener[]
  /** Index in the slice. */
  place: number
}

export function createListeners(ring: Ring, sliceCount: number): Listeners {
  const slices: StreamListener[][] = Array.from({ length: sliceCount }, () => [])
  const totals: StreamTotals = { bytes: 0, skips: 0, closed: 0 }

  const write = (socket: Socket, bytes: Buffer) => {
    totals.bytes += bytes.length
    socket.write(bytes)
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
    } else if (behindMs >= SKIP_BEHIND_MS && socket.writableLength === 0) {
      if (listener.wantsTitles) {
        for (const part of bridge(segment.byte, edge.byte, titleAt(edge.chunk, 0))) write(socket, part)
      }
      totals.skips++
      listener.next = edge.serial
    }
  }

  /** Writes the segments that a listener lacks, while its socket takes them. */
  const advance = (listener: StreamListener, edge: Segment) => {
    const { socket } = listener
    if (listener.next < edge.serial) keepNear(listener, edge)
    while (listener.next <= edge.serial && socket.writableLength === 0 && !socket.destroyed) {
      const segment = ring.at(listener.next)
      if (!segment) return closeLate(socket)
      write(socket, listener.wantsTitles ? segment.framed.bytes : segment.chunk.audio)
      listener.next++
    }
  }

  return {
    write,
    totals,
    add(socket, wantsTitles, next) {
      const slice = slices.reduce((least, other) => (other.length < least.length ? other : least))
      const listener: StreamListener = { socket, wantsTitles, next, slice, place: slice.length }
      slice.push(listener)
      socket.once('close', () => remove(listener))
    },
    serve(index, edge) {
      const slice = slices[index]!
      // From the end, because a removal moves the last listener into the gap.
      for (let place = slice.length - 1; place >= 0; place--) advance(slice[place]!, edge)
    },
    get size() {
      return slices.reduce((sum, slice) => sum + slice.length, 0)
    },
    get lagMs() {
      const { newest } = ring
      if (!newest) return 0
      const behindMs = ({ next }: StreamListener) =>
        next > newest.serial ? 0 : newest.toMs - (ring.at(next)?.fromMs ?? newest.fromMs)
      return slices.flat().reduce((most, listener) => Math.max(most, behindMs(listener)), 0)
    },
    sockets: () => slices.flat().map(({ socket }) => socket),
  }
}

function remove({ slice, place }: StreamListener): void {
  const last = slice.pop()!
  if (last.place === place) return
  slice[place] = last
  last.place = place
}
