import { createHash } from 'node:crypto'
import { codecs, type FrameChunk, type Mount, SAMPLE_RATE, type StreamMarker } from '@solstice/station'
import { segmentTag } from './id3.ts'

/** A mount whose frames HLS knows as packed audio (RFC 8216, 3.4). */
export interface PackedMount {
  readonly codec: Extract<Mount['codec'], 'mp3' | 'aac'>
  readonly bitrate: number
}

/** The multiple of 1152 and 1024 samples nearest to 6 s: segments of all mounts begin with the same sample. */
export const SEGMENT_SAMPLES = 29 * 9_216
export const SEGMENT_MS = (SEGMENT_SAMPLES * 1000) / SAMPLE_RATE

/** The frames of a mount from sample n × `SEGMENT_SAMPLES` on, as every replica cuts them. */
export interface HlsSegment {
  /** n, also its name. */
  number: number
  /** Number of the stretch that its first sample belongs to. */
  stretch: number
  /** Station time at which it begins. */
  atMs: number
  /** Its tag, then its frames. */
  bytes: Buffer
  etag: string
}

interface OpenSegment {
  number: number
  stretch: number
  atMs: number
  /** The frame that comes next. */
  next: number
  parts: Buffer[]
  marker: StreamMarker | null
}

/**
 * A function that takes the chunks of a mount and returns the segments that each completes. A segment that lacks a frame is left
 * out. The tag names what is heard in the middle: nothing but the segment's own frames decides what is in it.
 */
export function createCutter({ codec }: PackedMount): (chunk: FrameChunk) => HlsSegment[] {
  const { frameSamples, frameMs } = codecs[codec]
  const framesPerSegment = SEGMENT_SAMPLES / frameSamples
  let open: OpenSegment | null = null

  const begin = (chunk: FrameChunk, frame: number): OpenSegment => ({
    number: frame / framesPerSegment,
    stretch: stretchAt(chunk, frame * frameSamples),
    atMs: chunk.atMs + (frame - chunk.frame) * frameMs,
    next: frame,
    parts: [],
    marker: null,
  })

  return (chunk) => {
    const whole: HlsSegment[] = []
    const end = chunk.frame + chunk.frames
    for (let from = chunk.frame, to: number; from < end; from = to) {
      const number = Math.floor(from / framesPerSegment)
      to = Math.min(end, (number + 1) * framesPerSegment)
      if (open?.next !== from) open = null
      if (from % framesPerSegment === 0) open = begin(chunk, from)
      if (!open) continue
      open.parts.push(framesOf(chunk, from, to, codec))
      open.next = to
      const middle = number * framesPerSegment + Math.floor(framesPerSegment / 2)
      if (from <= middle && middle < to)
        open.marker = chunk.markers.findLast((marker) => marker.frame <= middle) ?? null
      if (to % framesPerSegment > 0) continue
      whole.push(finish(open))
      open = null
    }
    return whole
  }
}

function finish({ number, stretch, atMs, parts, marker }: OpenSegment): HlsSegment {
  const { title, artist } = marker && 'title' in marker ? marker : { title: '', artist: '' }
  const bytes = Buffer.concat([segmentTag({ sample: number * SEGMENT_SAMPLES, title, artist }), ...parts])
  return { number, stretch, atMs, bytes, etag: etagOf(bytes) }
}

/** A strong entity tag. */
export function etagOf(content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/** The number of the stretch at a sample of a chunk; a chunk names the one at its end. */
function stretchAt({ stretch }: FrameChunk, sample: number): number {
  if (!stretch) return 0
  return stretch.sample <= sample ? stretch.number : stretch.number - 1
}

/** Some frames of a chunk, without a copy. */
function framesOf(chunk: FrameChunk, from: number, to: number, codec: PackedMount['codec']): Buffer {
  const { audio, frame, frames } = chunk
  const { frameBytes } = codecs[codec]
  const offsetOf = (wanted: number) => {
    let at = 0
    for (let number = frame; number < wanted; number++) at += frameBytes(audio, at) ?? 0
    return at
  }
  const begin = from === frame ? 0 : offsetOf(from)
  return audio.subarray(begin, to === frame + frames ? audio.length : offsetOf(to))
}
