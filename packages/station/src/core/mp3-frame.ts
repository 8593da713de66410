const HEADER_BYTES = 4
/** ISO/IEC 11172-3, 2.4.2.3, layer III: kbit/s by index; index 0 (free format) and 15 are not used here. */
const KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/**
 * Length in bytes of the MPEG-1 layer III frame whose header is at `at`; null when there is none.
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
