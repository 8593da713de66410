export interface ImageSize {
  width: number
  height: number
}

/** Baseline, extended sequential and progressive Huffman frames (ITU-T T.81, table B.1): what browsers show. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
/** Frames of other kinds; C4 is a table, C8 an extension, CC arithmetic coding. */
const isOtherFrame = (code: number) =>
  code >= 0xc3 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc
/** Honest images have some dozens; walking through as many as fit into a body would take a second. */
const MAX_SEGMENTS = 5_000
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP1 = 0xe1
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7

/**
 * The size at which a JPEG is shown, turned by its Exif orientation. Null unless the bytes are exactly one JPEG that
 * browsers show: neither cut off nor followed by anything.
 */
export function readJpegSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return null
  let size: ImageSize | null = null
  let isSideways = false
  let hasScan = false
  let segments = 0
  for (let at = 2; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const code = bytes[at + 1]!
    // Any number of FF may stand before a marker.
    if (code === 0xff) {
      at++
      continue
    }
    if (code === EOI) {
      const isAll = at + 2 === bytes.length && size !== null && hasScan
      return isAll && size ? turned(size, isSideways) : null
    }
    if (++segments > MAX_SEGMENTS) return null
    const start = at + 4
    if (code < 0xc0 || code === SOI || isRestart(code) || start > bytes.length) return null
    const end = at + 2 + view.getUint16(at + 2)
    if (end < start || end > bytes.length || isOtherFrame(code)) return null
    const segment = new DataView(bytes.buffer, bytes.byteOffset + start, end - start)
    if (FRAMES.has(code)) {
      if (size || segment.byteLength < 6) return null
      size = { height: segment.getUint16(1), width: segment.getUint16(3) }
      if (size.width === 0 || size.height === 0) return null
    }
    if (code === APP1) isSideways ||= readOrientation(segment) >= 5
    if (code === SOS) {
      if (!size) return null
      hasScan = true
    }
    at = code === SOS ? endOfScan(bytes, end) : end
  }
  return null
}

/** The position of the marker after the data of a scan. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1]
    // A zero stands after an FF that is data; restart markers part the data.
    if (next === undefined || (next !== 0 && !isRestart(next))) return at
  }
  return bytes.length
}

/** Images with an orientation from 5 on lie on their side. */
function turned({ width, height }: ImageSize, isSideways: boolean): ImageSize {
  return isSideways ? { width: height, height: width } : { width, height }
}

const ORIENTATION = 0x0112
const UNTURNED = 1

/** The orientation in an Exif segment (CIPA DC-008, 4.6.5), 1 to 8; 1 when it has none. */
function readOrientation(segment: DataView): number {
  // "Exif", two zeros, then a TIFF file.
  if (segment.byteLength < 14 || segment.getUint32(0) !== 0x45786966) return UNTURNED
  const tiff = new DataView(segment.buffer, segment.byteOffset + 6, segment.byteLength - 6)
  const isLittleEndian = tiff.getUint16(0) === 0x4949
  const first = tiff.getUint32(4, isLittleEndian)
  if (first + 2 > tiff.byteLength) return UNTURNED
  const count = tiff.getUint16(first, isLittleEndian)
  for (let i = 0; i < count; i++) {
    const entry = first + 2 + 12 * i
    if (entry + 12 > tiff.byteLength) return UNTURNED
    if (tiff.getUint16(entry, isLittleEndian) !== ORIENTATION) continue
    const value = tiff.getUint16(entry + 8, isLittleEndian)
    return value >= 1 && value <= 8 ? value : UNTURNED
  }
  return UNTURNED
}
