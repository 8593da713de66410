import { elementAt, elementsOf, idAt, numberIn } from './ebml.ts'
import { opusDurationMs } from './opus-packet.ts'

/** An Opus packet of a recording. */
export interface Packet {
  bytes: Uint8Array
  durationMs: number
  /** Time within the recording; null when unknown, as after lost or malformed bytes. */
  atMs: number | null
}

/** Extracts the Opus packets of a WebM recording that arrives in arbitrary pieces. */
export interface WebmReader {
  /** Returns the packets completed by a piece. A piece starting with an EBML header starts another recording. */
  read(piece: Buffer): Packet[]
  /** False while the header of the recording is missing: nothing can be read without it. */
  readonly hasHead: boolean
  /** Number of recordings started. */
  readonly recordings: number
}

// Matroska elements (RFC 9559) found in a live audio recording.
const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const TRACK_ENTRY = 0xae
const TRACK_NUMBER = 0xd7
const CODEC_ID = 0x86
const CLUSTER = 0x1f43b675
const TIMESTAMP = 0xe7
const BLOCK_GROUP = 0xa0
const SIMPLE_BLOCK = 0xa3
const BLOCK = 0xa1
const containers = new Set([SEGMENT, CLUSTER, BLOCK_GROUP])
/** SeekHead, Info, Tags, Cues, Void, CRC-32; Position, PrevSize; BlockDuration, ReferenceBlock, DiscardPadding. */
const passed = [0x114d9b74, 0x1549a966, 0x1254c367, 0x1c53bb6b, 0xec, 0xbf, 0xa7, 0xab, 0x9b, 0xfb, 0x75a2]
const known = new Set([EBML, TRACKS, TIMESTAMP, SIMPLE_BLOCK, BLOCK, ...containers, ...passed])

const EBML_BYTES = Buffer.of(0x1a, 0x45, 0xdf, 0xa3)
/** A larger element is taken for garbage, which also bounds the bytes buffered. */
const MAX_ELEMENT_BYTES = 16 * 1024
/** Limit of the decoder: 120 ms at 256 kbit/s. */
const MAX_PACKET_BYTES = 3840
/** Track number (one byte), time in the cluster (two), flags. */
const BLOCK_HEADER_BYTES = 4

/**
 * A reader that recovers from garbage: it looks for the next header, cluster or block. A block
 * found that way counts only when another element follows it, so it is delivered once the bytes after it are there.
 */
export function createWebmReader(): WebmReader {
  let rest: Buffer = Buffer.alloc(0)
  let track: number | null = null
  let clusterMs: number | null = null
  /** The bytes before `rest` were garbage. */
  let isLost = false
  let recordings = 0

  function beginRecording() {
    recordings++
    track = null
    clusterMs = null
  }

  return {
    get hasHead() {
      return track !== null
    },
    get recordings() {
      return recordings
    },
    read(piece) {
      const isNew = piece.length >= 4 && piece.subarray(0, 4).equals(EBML_BYTES)
      if (isNew) isLost = false
      const bytes = isNew || rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const packets: Packet[] = []
      let at = 0
      for (;;) {
        if (isLost) {
          const found = findAgain(bytes, at, track)
          at = found.at
          if (!found.isFound) break
          isLost = false
        }
        const element = elementAt(bytes, at)
        if (element === 'more') break
        const isSense = element && known.has(element.id)
        if (isSense && containers.has(element.id)) {
          if (element.id === CLUSTER) clusterMs = null
          at = element.start
          continue
        }
        if (!isSense || element.end === null || element.end - element.start > MAX_ELEMENT_BYTES) {
          isLost = true
          clusterMs = null
          at++
          continue
        }
        const { id, start, end } = element
        if (end > bytes.length) break
        const data = bytes.subarray(start, end)
        at = end
        if (id === EBML) beginRecording()
        else if (id === TRACKS) track = opusTrackIn(data) ?? track
        else if (id === TIMESTAMP) clusterMs = data.length <= 6 ? numberIn(data) : null
        else if (id === SIMPLE_BLOCK || id === BLOCK) {
          const packet = packetIn(data, track, clusterMs)
          if (packet) packets.push(packet)
        }
      }
      // A copy, so that a small rest does not keep a large piece in memory.
      rest = Buffer.from(bytes.subarray(at))
      return packets
    },
  }
}

/** Number of the last Opus track in the track list. */
function opusTrackIn(tracks: Buffer): number | null {
  let track: number | null = null
  for (const entry of elementsOf(tracks)) {
    if (entry.id !== TRACK_ENTRY) continue
    const fields = elementsOf(entry.data)
    const number = fields.find(({ id }) => id === TRACK_NUMBER)?.data[0]
    const codec = fields.find(({ id }) => id === CODEC_ID)?.data.toString('latin1')
    if (number !== undefined && number < 0x7f && codec?.startsWith('A_OPUS')) track = number
  }
  return track
}

/** The packet in a block of a track; null when the block holds none. */
function packetIn(block: Buffer, track: number | null, clusterMs: number | null): Packet | null {
  if (track === null || block[0] !== (0x80 | track)) return null
  // Lacing would put several packets into one block; no browser does that.
  if (block.length <= BLOCK_HEADER_BYTES || block[3]! & 0x06) return null
  const bytes = block.subarray(BLOCK_HEADER_BYTES)
  if (bytes.length > MAX_PACKET_BYTES) return null
  const durationMs = opusDurationMs(bytes)
  if (durationMs === null) return null
  return { bytes, durationMs, atMs: clusterMs === null ? null : clusterMs + block.readInt16BE(1) }
}

/** The next offset after `from` at which reading can resume, or the start of the bytes to keep until that is known. */
function findAgain(bytes: Buffer, from: number, track: number | null): { at: number; isFound: boolean } {
  for (let at = from; at < bytes.length; at++) {
    const first = bytes[at]
    if (first !== 0x1a && first !== 0x1f && first !== 0xa3) continue
    const element = elementAt(bytes, at)
    if (element === 'more') return { at, isFound: false }
    if (!element) continue
    const { id, start, end } = element
    if (id === EBML || id === CLUSTER) return { at, isFound: true }
    if (id !== SIMPLE_BLOCK || end === null) continue
    if (end - start > MAX_PACKET_BYTES + BLOCK_HEADER_BYTES) continue
    if (bytes[start] !== undefined && bytes[start] !== (0x80 | (track ?? 0))) continue
    if (end > bytes.length) return { at, isFound: false }
    if (!packetIn(bytes.subarray(start, end), track, null)) continue
    const next = idAt(bytes, end)
    if (next === 'more') return { at, isFound: false }
    if (next && known.has(next.id)) return { at, isFound: true }
  }
  return { at: bytes.length, isFound: false }
}
