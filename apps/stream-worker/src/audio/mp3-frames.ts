const HEADER_BYTES = 4
const MAX_FRAME_BYTES = 1441
/** ISO/IEC 11172-3, 2.4.2.3, layer III: kbit/s by index; index 0 (free format) and 15 are not used here. */
const KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/**
 * Length in bytes of the MPEG-1 layer III frame whose header stands at `at`, or null when none does.
 * Source: ISO/IEC 11172-3, 2.4.1.3 and 2.4.3.1.
 */
export function frameBytes(bytes: Uint8Array, at: number): number | null {
  if (at + HEADER_BYTES > bytes.length) return null
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xfa) return null
  const third = bytes[at + 2]!
  const kbits = KBITS[third >> 4]
  const sampleRate = SAMPLE_RATES[(third >> 2) & 3]
  if (!kbits || !sampleRate) return null
  return Math.floor((144_000 * kbits) / sampleRate) + ((third >> 1) & 1)
}

/**
 * Cuts a byte stream at the boundaries of its MP3 frames. What is no frame is left out: after anything foreign, a
 * header counts only when another one follows where its frame ends.
 *
 * @returns a function that takes the next bytes, cut anywhere, and gives the frames that became whole.
 */
export function createFrameCutter(): (chunk: Uint8Array) => Buffer[] {
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
    // A short rest must not hold a large chunk in memory.
    if (rest.length <= MAX_FRAME_BYTES) rest = Buffer.from(rest)
    return frames
  }
}
