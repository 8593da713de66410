import type { FileHandle } from 'node:fs/promises'

const MAX_TAGS = 8

/** The range of a tag in a file, in bytes. */
export interface TagPlace {
  kind: 'id3v2' | 'ape' | 'lyrics3' | 'id3v1'
  at: number
  length: number
}

/** The range of the sound between the tags, in bytes; `end` is exclusive. */
export interface SoundBounds {
  start: number
  end: number
}

/** The parts of an MP3 in file order. */
export interface Mp3Layout {
  head: TagPlace[]
  sound: SoundBounds
  tail: TagPlace[]
}

/** Finds ID3v2 tags at the start, and ID3v1, APE and Lyrics3 tags at the end, up to a few of each. */
export async function layOut(file: FileHandle): Promise<Mp3Layout> {
  const { size } = await file.stat()
  const head: TagPlace[] = []
  const tail: TagPlace[] = []
  let start = 0
  for (let i = 0; i < MAX_TAGS && start < size; i++) {
    const length = Math.min(size - start, id3Length(await readAt(file, start, 10), 0))
    if (length === 0) break
    head.push({ kind: 'id3v2', at: start, length })
    start += length
  }
  let end = size
  for (let i = 0; i < MAX_TAGS && end > start; i++) {
    const at = Math.max(start, end - ID3V1_BYTES)
    const found = tagThatEnds(await readAt(file, at, end - at))
    if (!found) break
    const length = Math.min(end - start, found.length)
    end -= length
    tail.unshift({ kind: found.kind, at: end, length })
  }
  return { head, sound: { start, end }, tail }
}

/** Formats by their first bytes. */
const beginnings: [begins: string, format: OtherFormat][] = [
  ['RIFF', 'wav'],
  ['RIFX', 'wav'],
  ['OggS', 'ogg'],
  ['fLaC', 'flac'],
  ['\x1aE\xdf\xa3', 'matroska'],
  ['FORM', 'unnamed'],
  ['FLV', 'unnamed'],
]
/** Eight characters of text, a byte order mark included; a truncated frame of sound hardly ever looks like that. */
const text = /^(?:\xef\xbb\xbf|[\t\n\r -~]{3})[\t\n\r -~]{5}/

export type OtherFormat = 'wav' | 'ogg' | 'flac' | 'mp4' | 'matroska' | 'unnamed'

/**
 * The format that a file begins as, if it is not MP3: a container, or a playlist, which is text. Such a file may contain
 * layer III frames as well, but players go by its beginning.
 */
export async function otherFormat(file: FileHandle, { start }: SoundBounds): Promise<OtherFormat | null> {
  const bytes = (await readAt(file, start, 8)).toString('latin1')
  const known = beginnings.find(([begins]) => bytes.startsWith(begins))
  if (known) return known[1]
  if (bytes.slice(4) === 'ftyp') return 'mp4'
  return text.test(bytes) ? 'unnamed' : null
}

/** Length of the ID3v2 tag that begins here; 0 when there is none. A file may start with several. */
export function id3Length(bytes: Buffer, at: number): number {
  if (at + 10 > bytes.length || bytes[at] !== 0x49 || bytes[at + 1] !== 0x44 || bytes[at + 2] !== 0x33)
    return 0
  const size = bytes.readUInt32BE(at + 6)
  if (size & 0x80808080) return 0
  const hasFooter = (bytes[at + 5]! & 0x10) !== 0
  return 10 + fromSyncsafe(size) + (hasFooter ? 10 : 0)
}

/** Decodes a syncsafe integer of ID3v2: seven bits in each of four bytes. */
export function fromSyncsafe(n: number): number {
  return ((n & 0x7f000000) >>> 3) | ((n & 0x7f0000) >>> 2) | ((n & 0x7f00) >>> 1) | (n & 0x7f)
}

const ID3V1_BYTES = 128

function tagThatEnds(tail: Buffer): Omit<TagPlace, 'at'> | null {
  const text = (fromEnd: number, length: number) =>
    tail.toString('latin1', tail.length - fromEnd, tail.length - fromEnd + length)
  if (tail.length === ID3V1_BYTES && text(ID3V1_BYTES, 3) === 'TAG')
    return { kind: 'id3v1', length: ID3V1_BYTES }
  if (tail.length >= 32 && text(32, 8) === 'APETAGEX') {
    const [size, flags] = [tail.readUInt32LE(tail.length - 20), tail.readUInt32LE(tail.length - 12)]
    return size < 32 ? null : { kind: 'ape', length: size + (flags >>> 31 ? 32 : 0) }
  }
  const lyricsSize = /^(\d{6})LYRICS200$/.exec(tail.length >= 15 ? text(15, 15) : '')?.[1]
  return lyricsSize ? { kind: 'lyrics3', length: Number(lyricsSize) + 15 } : null
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}
