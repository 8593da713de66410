import { streamBurstMs } from '@solstice/contracts'
import { leadIn, placeIn } from './icy.ts'
import { headersAt } from './ogg.ts'
import { frameStarts, type Ring, type Segment } from './ring.ts'

/** Where a listener enters the broadcast. */
export interface StartPoint {
  /** Segment, and byte of its audio. */
  serial: number
  audioByte: number
  /** The same byte, counted over all segments. */
  byte: number
  /** The first whole frame from there. */
  frame: number
  /** It is the one that the listener asked for. */
  isResumed: boolean
}

/**
 * The start of a new listener: at frame `from` when the ring has it or it comes next, else some seconds back, so that its
 * player has a buffer at once. With titles it starts just behind a title block where there is one, rather earlier than later; in
 * Ogg it starts with the page that holds the frame. The ring must not be empty.
 */
export function startPoint(ring: Ring, wantsTitles: boolean, from: number | undefined): StartPoint {
  const edge = ring.newest!
  // Only when the page is there is it known which logical stream it belongs to.
  if (from === edge.chunk.frame + edge.chunk.frames && !ring.isOgg) {
    return {
      serial: edge.serial + 1,
      audioByte: 0,
      byte: edge.byte + edge.chunk.audio.length,
      frame: from,
      isResumed: true,
    }
  }
  const resumed = from === undefined ? null : ring.holding(from)
  if (resumed) {
    const audioByte = frameStarts(resumed.chunk.audio)[from! - resumed.chunk.frame] ?? 0
    return { ...startWithin(resumed, audioByte), isResumed: true }
  }
  const first = ring.since(streamBurstMs)!
  if (!wantsTitles || first.framed.joins[0]?.audio === 0) return startWithin(first, 0)
  for (let segment = ring.at(first.serial - 1); segment; segment = ring.at(segment.serial - 1)) {
    const behindBlock = segment.framed.joins.at(-1)
    if (behindBlock) return startWithin(segment, behindBlock.audio)
  }
  for (let segment: Segment | null = first; segment; segment = ring.at(segment.serial + 1)) {
    const [behindBlock] = segment.framed.joins
    if (behindBlock) return startWithin(segment, behindBlock.audio)
  }
  return startWithin(first, 0)
}

/** The sound from the start point to the live edge, in ms: what a listener who gets it at once has in hand. */
export function reserveMs(ring: Ring, { serial, frame }: StartPoint): number {
  const first = ring.at(serial)
  return first ? ring.newest!.toMs - first.fromMs - (frame - first.chunk.frame) * ring.frameMs : 0
}

/** Everything from the start point to the live edge, in buffers that all listeners share. */
export function burst(ring: Ring, start: StartPoint, wantsTitles: boolean): Buffer[] {
  const { serial, audioByte, byte, isResumed } = start
  const first = ring.at(serial)
  if (!first) return wantsTitles ? [leadIn(byte, 'before the block')] : []
  const parts = wantsTitles
    ? [leadIn(byte, 'behind the block'), first.framed.bytes.subarray(placeIn(first.framed, audioByte))]
    : [first.chunk.audio.subarray(audioByte)]
  if (ring.isOgg) parts.unshift(headersAt(first.chunk, audioByte, isResumed))
  for (let segment = ring.at(serial + 1); segment; segment = ring.at(segment.serial + 1)) {
    parts.push(wantsTitles ? segment.framed.bytes : segment.chunk.audio)
  }
  return parts
}

/** How a listener begins. */
export interface Beginning {
  /** Number of the first whole frame in it. */
  frame: number
  /** Everything up to the live edge. */
  burst: Buffer
  /** Serial of the segment that follows it. */
  next: number
  /** The sound in it, in ms. */
  reserveMs: number
}

/** @param from the frame that the listener asks for. The ring must not be empty. */
export function beginning(ring: Ring, wantsTitles: boolean, from: number | undefined): Beginning {
  const start = startPoint(ring, wantsTitles, from)
  const parts = burst(ring, start, wantsTitles)
  return {
    frame: start.frame,
    burst: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
    next: ring.newest!.serial + 1,
    reserveMs: reserveMs(ring, start),
  }
}

/** Beginnings of those who don't ask for a frame, joined in one buffer for all who come before the next chunk. */
export function createBeginnings(ring: Ring): (wantsTitles: boolean) => Beginning {
  let edge = -1
  let kept = new Map<boolean, Beginning>()
  return (wantsTitles) => {
    const { serial } = ring.newest!
    if (serial !== edge) kept = new Map()
    edge = serial
    const found = kept.get(wantsTitles) ?? beginning(ring, wantsTitles, undefined)
    kept.set(wantsTitles, found)
    return found
  }
}

function startWithin({ serial, chunk, byte }: Segment, audioByte: number): StartPoint {
  const index = frameStarts(chunk.audio).findIndex((start) => start >= audioByte)
  const frame = chunk.frame + (index < 0 ? chunk.frames : index)
  return { serial, audioByte, byte: byte + audioByte, frame, isResumed: false }
}
