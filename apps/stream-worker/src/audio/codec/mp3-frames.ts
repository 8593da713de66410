import { type Codec, codecs } from '@solstice/station'

/** A header of ADTS without its checksum; those of MP3 are shorter. */
const HEADER_BYTES = 7
const MAX_FRAME_BYTES = 8191

/**
 * Splits a byte stream into its frames and drops everything else: after foreign bytes, a
 * header counts only when another one follows where its frame ends.
 *
 * @returns a function that takes the next bytes, cut anywhere, and returns the frames they complete.
 */
export function createFrameCutter(
  { frameBytes }: Required<Pick<Codec, 'frameBytes'>> = codecs.mp3,
): (chunk: Uint8Array) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let isInStep = false
  return (chunk) => {
    const bytes = rest.length
      ? Buffer.concat([rest, chunk])
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const frames: Buffer[] = []
    let at = 0
    while (at + HEADER_BYTES <= bytes.length) {
      const length = frameBytes(bytes, at)
      if (length === null) {
        isInStep = false
        const next = bytes.indexOf(0xff, at + 1)
        at = next < 0 ? bytes.length : next
        continue
      }
      const needed = isInStep ? length : length + HEADER_BYTES
      if (at + needed > bytes.length) break
      if (!isInStep && frameBytes(bytes, at + length) === null) {
        at++
        continue
      }
      isInStep = true
      frames.push(bytes.subarray(at, at + length))
      at += length
    }
    rest = bytes.subarray(at)
    // A short rest must not keep a large chunk in memory.
    if (rest.length <= MAX_FRAME_BYTES) rest = Buffer.from(rest)
    return frames
  }
}
