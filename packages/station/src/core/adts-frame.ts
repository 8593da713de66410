const HEADER_BYTES = 7

/**
 * Length in bytes of the AAC frame in ADTS whose header is at `at`; null when there is none.
 * Source: ISO/IEC 14496-3, 1.A.2.2.
 */
export function adtsFrameBytes(bytes: Uint8Array, at: number): number | null {
  if (at + HEADER_BYTES > bytes.length) return null
  // The sync word, either version of MPEG, layer 0.
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) return null
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  return length > HEADER_BYTES ? length : null
}
