/**
 * Pages of Ogg (RFC 3533). Of its rules only the part is here that a broadcast needs: every packet is whole within its page.
 */
export interface OggPage {
  /** `begin` and `end` of a logical stream. */
  readonly mark: 'begin' | 'end' | null
  /** Of an Opus stream, samples at 48 kHz from its begin to the end of this page. */
  readonly granule: number
  /** Serial number of the logical stream. */
  readonly serial: number
  /** Number of the page within its logical stream. */
  readonly sequence: number
  readonly packets: readonly Buffer[]
}

/** A page that was read, and its place. */
export interface PlacedPage extends OggPage {
  readonly at: number
  readonly end: number
}

const HEADER_BYTES = 27
const CHECKSUM_AT = 22
const MAX_SEGMENTS = 255
/** A segment of this length is followed by another one of the same packet. */
const FULL_SEGMENT = 255
const CONTINUED = 1
const MARKS = { begin: 2, end: 4 } as const
const CAPTURE = Buffer.from('OggS')

export const isOgg = (bytes: Buffer) => bytes.subarray(0, CAPTURE.length).equals(CAPTURE)

/** @throws when the packets need more than 255 segments. */
export function writeOggPage({ mark, granule, serial, sequence, packets }: OggPage): Buffer {
  const segments = packets.flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / FULL_SEGMENT)).fill(FULL_SEGMENT),
    length % FULL_SEGMENT,
  ])
  if (segments.length > MAX_SEGMENTS)
    throw new RangeError(`${segments.length} segments are too many for a page`)
  const head = Buffer.alloc(HEADER_BYTES)
  CAPTURE.copy(head)
  head[5] = mark ? MARKS[mark] : 0
  head.writeBigInt64LE(BigInt(granule), 6)
  head.writeUInt32LE(serial, 14)
  head.writeUInt32LE(sequence, 18)
  head[26] = segments.length
  const page = Buffer.concat([head, Buffer.from(segments), ...packets])
  page.writeUInt32LE(checksum(page), CHECKSUM_AT)
  return page
}

/**
 * Reads the page at `at`.
 *
 * @returns `more` when it is not whole, null for bytes that are no page, or one of whose packets is not whole.
 */
export function readOggPage(bytes: Buffer, at: number): PlacedPage | 'more' | null {
  const capture = bytes.subarray(at, at + CAPTURE.length)
  if (!capture.equals(CAPTURE.subarray(0, capture.length))) return null
  if (at + HEADER_BYTES > bytes.length) return 'more'
  const count = bytes[at + 26]!
  const flags = bytes[at + 5]!
  const segments = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + count)
  let start = at + HEADER_BYTES + count
  const end = start + segments.reduce((sum, length) => sum + length, 0)
  if (segments.length < count || end > bytes.length) return 'more'
  if (flags & CONTINUED || segments.at(-1) === FULL_SEGMENT) return null
  const packets: Buffer[] = []
  let length = 0
  for (const segment of segments) {
    length += segment
    if (segment === FULL_SEGMENT) continue
    packets.push(bytes.subarray(start, start + length))
    start += length
    length = 0
  }
  return {
    ...{ at, end, packets },
    mark: flags & MARKS.begin ? 'begin' : flags & MARKS.end ? 'end' : null,
    granule: Number(bytes.readBigInt64LE(at + 6)),
    serial: bytes.readUInt32LE(at + 14),
    sequence: bytes.readUInt32LE(at + 18),
  }
}

/** The pages one after another, up to the first bytes that are none. */
export function oggPages(bytes: Buffer): PlacedPage[] {
  const pages: PlacedPage[] = []
  for (let at = 0; at < bytes.length; ) {
    const page = readOggPage(bytes, at)
    if (page === null || page === 'more') break
    pages.push(page)
    at = page.end
  }
  return pages
}

/** True when the page is as it was written. */
export function isIntact(bytes: Buffer, { at, end }: PlacedPage): boolean {
  const page = Buffer.from(bytes.subarray(at, end))
  const told = page.readUInt32LE(CHECKSUM_AT)
  page.writeUInt32LE(0, CHECKSUM_AT)
  return checksum(page) === told
}

const POLYNOMIAL = 0x04c11db7
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24
  for (let bit = 0; bit < 8; bit++) rest = rest & 0x80000000 ? (rest << 1) ^ POLYNOMIAL : rest << 1
  return rest
})

/** CRC-32 from the highest bit, begun with 0: not the one of zlib. */
function checksum(bytes: Uint8Array): number {
  let rest = 0
  for (let at = 0; at < bytes.length; at++) {
    rest = (rest << 8) ^ REMAINDERS[((rest >>> 24) ^ bytes[at]!) & 0xff]!
  }
  return rest >>> 0
}
