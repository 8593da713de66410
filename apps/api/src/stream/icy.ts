import { cutToBytes, type SilenceMarker, type SoundMarker } from '@solstice/station'

/** Audio bytes between two metadata blocks: `icy-metaint`. */
export const METADATA_INTERVAL = 16_000

/** A block is one length byte and up to 255 × 16 bytes of text. */
const UNIT = 16
const MAX_UNITS = 255
const OPENING = "StreamTitle='"
const CLOSING = "';"

/** The title a player shows from a marker on; '' in silence. */
export function markerTitle(marker: Pick<SoundMarker, 'artist' | 'title'> | SilenceMarker | null): string {
  if (!marker || !('title' in marker)) return ''
  return [marker.artist, marker.title].filter((text) => text.trim() !== '').join(' - ')
}

/**
 * One ICY metadata block: a length in units of 16 bytes, then `StreamTitle='…';` padded with zeros. No title can break out of
 * its quotes or its line.
 */
export function metadataBlock(title: string): Buffer {
  const room = UNIT * MAX_UNITS - OPENING.length - CLOSING.length
  const text = Buffer.from(OPENING + cutToBytes(harmless(title), room) + CLOSING, 'utf8')
  const units = Math.ceil(text.length / UNIT)
  const block = Buffer.alloc(1 + units * UNIT)
  block[0] = units
  text.copy(block, 1)
  return block
}

/** A chunk as ICY listeners get it. */
export interface Framed {
  bytes: Buffer
  /** The places just behind each block, where a new listener may enter: as offset in the audio and in `bytes`. */
  joins: { audio: number; bytes: number }[]
}

/**
 * Inserts a block before every byte of the audio whose position in the broadcast is a multiple of the interval. A chunk without
 * such a byte is returned as it is.
 *
 * @param position of the first byte in the broadcast.
 * @param titleAt the title heard at a byte of the audio.
 */
export function frame(audio: Buffer, position: number, titleAt: (byte: number) => string): Framed {
  const parts: Buffer[] = []
  const joins: Framed['joins'] = []
  let written = 0
  let from = 0
  const first = (METADATA_INTERVAL - (position % METADATA_INTERVAL)) % METADATA_INTERVAL
  for (let at = first; at < audio.length; at += METADATA_INTERVAL) {
    const block = metadataBlock(titleAt(at))
    parts.push(audio.subarray(from, at), block)
    written += at - from + block.length
    joins.push({ audio: at, bytes: written })
    from = at
  }
  if (joins.length === 0) return { bytes: audio, joins }
  parts.push(audio.subarray(from))
  return { bytes: Buffer.concat(parts), joins }
}

const ZEROS = Buffer.alloc(METADATA_INTERVAL)

/** Offset in the framed chunk of a byte of its audio; behind the block, if there is one at that byte. */
export function placeIn(framed: Framed, audioByte: number): number {
  const join = framed.joins.findLast(({ audio }) => audio <= audioByte)
  return join ? join.bytes + audioByte - join.audio : audioByte
}

/**
 * The zeros that a new listener gets before its start, so that its blocks come where everybody's do.
 *
 * @param begins on which side of a block that is due at the position.
 */
export function leadIn(position: number, begins: 'before the block' | 'behind the block'): Buffer {
  return ZEROS.subarray(
    0,
    begins === 'before the block' ? sinceBlock(position) : position % METADATA_INTERVAL,
  )
}

/**
 * Replaces the audio between two positions for a listener that skips ahead, so that its byte count stays in step: zeros, which
 * decoders skip, and a block where the count passes one. A block due at either position has not been sent.
 */
export function bridge(from: number, to: number, title: string): Buffer[] {
  const had = sinceBlock(from)
  const wanted = sinceBlock(to)
  if (wanted >= had) return [ZEROS.subarray(0, wanted - had)]
  return [ZEROS.subarray(0, METADATA_INTERVAL - had), metadataBlock(title), ZEROS.subarray(0, wanted)]
}

/** Audio bytes since the last block, at a position where the next one may be due but is not sent yet. */
function sinceBlock(position: number): number {
  return position % METADATA_INTERVAL || METADATA_INTERVAL
}

/** Removes control characters and direction marks; `';` would end the title. */
function harmless(title: string): string {
  return title
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll("';", '’;')
    .trim()
}
