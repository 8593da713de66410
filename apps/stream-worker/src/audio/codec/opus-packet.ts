/** Duration in ms of one frame, by the configuration number of the packet (RFC 6716, table 2). */
const SILK_MS = [10, 20, 40, 60]
const HYBRID_MS = [10, 20]
const CELT_MS = [2.5, 5, 10, 20]
const MAX_PACKET_MS = 120
const MAX_FRAME_BYTES = 1275

/** Duration of an Opus packet, ms; null for bytes that break the framing rules of RFC 6716, section 3. */
export function opusDurationMs(packet: Uint8Array): number | null {
  const [toc] = packet
  if (toc === undefined) return null
  const config = toc >> 3
  const frameMs =
    config < 12 ? SILK_MS[config & 3]! : config < 16 ? HYBRID_MS[config & 1]! : CELT_MS[config & 3]!
  const length = packet.length - 1
  switch (toc & 3) {
    case 0:
      return length <= MAX_FRAME_BYTES ? frameMs : null
    case 1:
      return length % 2 === 0 && length / 2 <= MAX_FRAME_BYTES ? 2 * frameMs : null
    case 2: {
      const first = frameLength(packet, 1)
      if (!first) return null
      const second = length - first.header - first.bytes
      return second >= 0 && second <= MAX_FRAME_BYTES ? 2 * frameMs : null
    }
    default:
      return manyFramesMs(packet, frameMs)
  }
}

/** Code 3: several frames, of equal or individual length, with padding. */
function manyFramesMs(packet: Uint8Array, frameMs: number): number | null {
  const flags = packet[1]
  if (flags === undefined) return null
  const count = flags & 0x3f
  if (count === 0 || count * frameMs > MAX_PACKET_MS) return null
  let at = 2
  let padding = 0
  if (flags & 0x40) {
    for (;;) {
      const byte = packet[at++]
      if (byte === undefined) return null
      padding += byte === 255 ? 254 : byte
      if (byte !== 255) break
    }
  }
  let left = packet.length - padding
  if (!(flags & 0x80)) {
    left -= at
    return left >= 0 && left % count === 0 && left / count <= MAX_FRAME_BYTES ? count * frameMs : null
  }
  for (let i = 1; i < count; i++) {
    const frame = frameLength(packet, at)
    if (!frame) return null
    at += frame.header
    left -= frame.bytes
  }
  left -= at
  return left >= 0 && left <= MAX_FRAME_BYTES ? count * frameMs : null
}

/** An encoded frame length: one byte up to 251, otherwise two. */
function frameLength(packet: Uint8Array, at: number): { header: number; bytes: number } | null {
  const first = packet[at]
  if (first === undefined) return null
  if (first < 252) return { header: 1, bytes: first }
  const second = packet[at + 1]
  return second === undefined ? null : { header: 2, bytes: second * 4 + first }
}
