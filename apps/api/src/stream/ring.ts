import { adtsFrameBytes, type Codec, codecs, type FrameChunk, frameBytes, isOgg } from '@solstice/station'
import { type Framed, frame, markerTitle } from './icy.ts'
import { continued, pageStarts } from './ogg.ts'

/** A chunk as this replica hands it out: two shared buffers, and its place in what was handed out so far. */
export interface Segment {
  /** Counts the segments of this replica without gaps. */
  serial: number
  chunk: FrameChunk
  /** Position of its first byte; the broadcast's own until the first gap. */
  byte: number
  /** Begin and end on this replica's own time line, in ms. */
  fromMs: number
  toMs: number
  /** For ICY listeners; made for the first of them. */
  readonly framed: Framed
}

/** The last seconds of a mount. */
export interface Ring {
  /** Duration of a frame. */
  readonly frameMs: number
  /** Titles stand in the sound itself, and a listener begins with header pages. */
  readonly isOgg: boolean
  /** Appends the next chunk. */
  add(chunk: FrameChunk): Segment
  readonly newest: Segment | null
  at(serial: number): Segment | null
  /** The first segment of the last `ms`, or of all there are. */
  since(ms: number): Segment | null
  /** The segment that contains a frame. */
  holding(frameNumber: number): Segment | null
}

export function createRing(keepMs: number, codec: Codec = codecs.mp3): Ring {
  const { frameMs, contentType } = codec
  const isOgg = contentType === 'audio/ogg'
  const segments: Segment[] = []
  const newest = () => segments.at(-1) ?? null
  const isWithin = (segment: Segment, ms: number) => (newest()?.toMs ?? 0) - segment.fromMs <= ms
  return {
    frameMs,
    isOgg,
    add(given) {
      const before = newest()
      const chunk = isOgg && before ? continued(before.chunk, given) : given
      // After a gap listeners count on from what they were sent, not from what was lost.
      const byte = before ? before.byte + before.chunk.audio.length : chunk.byte
      const fromMs = before?.toMs ?? 0
      let framed: Framed | undefined
      const segment: Segment = {
        serial: (before?.serial ?? -1) + 1,
        chunk,
        byte,
        fromMs,
        toMs: fromMs + chunk.frames * frameMs,
        get framed() {
          framed ??= isOgg
            ? { bytes: chunk.audio, joins: [] }
            : frame(chunk.audio, byte, (at) => titleAt(chunk, at))
          return framed
        },
      }
      segments.push(segment)
      while (segments[0] !== segment && !isWithin(segments[0]!, keepMs)) segments.shift()
      return segment
    },
    get newest() {
      return newest()
    },
    at(serial) {
      return segments[serial - (segments[0]?.serial ?? 0)] ?? null
    },
    since(ms) {
      return segments.find((segment) => isWithin(segment, ms)) ?? newest()
    },
    holding(frameNumber) {
      const holds = ({ chunk }: Segment) =>
        chunk.frame <= frameNumber && frameNumber < chunk.frame + chunk.frames
      return segments.findLast(holds) ?? null
    },
  }
}

/** The title heard at a byte of a chunk. */
export function titleAt(chunk: FrameChunk, byte: number): string {
  const frameNumber = chunk.frame + frameStarts(chunk.audio).findLastIndex((start) => start <= byte)
  return markerTitle(chunk.markers.findLast((marker) => marker.frame <= frameNumber) ?? null)
}

/**
 * Offsets of the frames in a chunk, or of the pages that they stand in. Ends early at bytes that are no frame of MPEG-1 Layer III
 * or ADTS.
 */
export function frameStarts(audio: Buffer): number[] {
  if (isOgg(audio)) return pageStarts(audio)
  const starts: number[] = []
  const lengthAt = (at: number) => frameBytes(audio, at) ?? adtsFrameBytes(audio, at)
  for (let at = 0, length = lengthAt(at); length !== null; length = lengthAt(at)) {
    starts.push(at)
    at += length
  }
  return starts.length > 0 ? starts : [0]
}
