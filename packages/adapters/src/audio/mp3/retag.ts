import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { EditableTags } from '@solstice/station'
import { layOut, type Mp3Layout, type TagPlace } from './layout.ts'
import { type FileRange, readRange } from './tag-bytes.ts'
import { type OpenTag, openTag, type TagFrame } from './tag-frames.ts'
import { textsOf } from './tag-texts.ts'

/** Bytes to write: new ones, or a range to copy from the original file. */
type Piece = Buffer | FileRange

/** Larger pieces would block the event loop. */
const PIECE_BYTES = 256 * 1024

const lengthOf = (piece: Piece) => (Buffer.isBuffer(piece) ? piece.length : piece.to - piece.from)

/**
 * Replaces the texts of an MP3, in its first ID3v2 tag or in a new one of version 2.3. All other frames, items of APE tags,
 * lyrics and the sound are copied byte by byte; an ID3v1 tag, which has 30 characters per field and no Cyrillic, is
 * dropped. A new file takes the place of the old one.
 */
export async function retag(path: string, tags: EditableTags): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(path)
  try {
    const pieces = await rewritten(file, await layOut(file), tags)
    await write(temporary, file, pieces)
    await rename(temporary, path)
  } finally {
    await file.close()
    await rm(temporary, { force: true })
  }
}

/** Digests of everything that `retag` must keep: the sound, and each tag without the frames and items that it sets. */
export async function fingerprint(path: string): Promise<{ sound: string; others: string[] }> {
  const file = await open(path)
  try {
    const { head, sound, tail } = await layOut(file)
    const others: string[] = []
    for (const place of [...head, ...tail]) {
      const tag = await openTag(file, place)
      const kept = tag ? copied(tag, ({ id }) => !editable.has(id)) : opaque(place)
      if (kept.length > 0) others.push(await digest(file, kept))
    }
    return { sound: await digest(file, [{ from: sound.start, to: sound.end }]), others }
  } finally {
    await file.close()
  }
}

/** Frames and items that `retag` may change, by version: ID3v2.3 and 2.4, 2.2, APE. */
const editable = new Set(
  [
    ['TIT2', 'TPE1', 'TALB', 'TYER', 'TDRC', 'TDAT', 'TIME'],
    ['TT2', 'TP1', 'TAL', 'TYE', 'TDR', 'TDA', 'TIM'],
    ['title', 'artist', 'album', 'year', 'date'],
  ].flat(),
)
const dates = new Set(['TYER', 'TDRC', 'TDAT', 'TIME', 'TYE', 'TDR', 'TDA', 'TIM'])
const names = {
  2: { title: 'TT2', artist: 'TP1', album: 'TAL', year: 'TYE' },
  3: { title: 'TIT2', artist: 'TPE1', album: 'TALB', year: 'TYER' },
  4: { title: 'TIT2', artist: 'TPE1', album: 'TALB', year: 'TDRC' },
} as const
type Version = keyof typeof names

async function rewritten(
  file: FileHandle,
  { head, sound, tail }: Mp3Layout,
  tags: EditableTags,
): Promise<Piece[]> {
  const opened = await Promise.all(
    [...head, ...tail].map(async (place) => ({ place, tag: await openTag(file, place) })),
  )
  const main = opened.find(({ tag }) => tag?.kind === 'id3v2')?.tag ?? null
  // An unchanged year keeps its month and day.
  const keepsDate = main !== null && tags.year !== null && (await textsOf(main)).year === tags.year
  const pieces = opened.map(({ place, tag }): Piece[] => {
    if (!tag) return opaque(place)
    const isKept = ({ id }: TagFrame) => !editable.has(id) || (tag === main && keepsDate && dates.has(id))
    const kept = copied(tag, isKept)
    if (tag.kind === 'ape') return apeTag(tag, kept, tag.frames.filter(isKept).length)
    const version = tag.version as Version
    const texts = tag === main ? textFrames(version, tags, !keepsDate) : []
    return id3Tag(version, tag.flags, [...texts, ...kept])
  })
  return [
    ...(main ? [] : id3Tag(3, 0, textFrames(3, tags, true))),
    ...pieces.slice(0, head.length).flat(),
    { from: sound.start, to: sound.end },
    ...pieces.slice(head.length).flat(),
  ]
}

/** A tag that is copied whole, or dropped. */
function opaque({ kind, at, length }: TagPlace): Piece[] {
  return kind === 'id3v1' ? [] : [{ from: at, to: at + length }]
}

/** The kept frames, and everything behind them. Headers are rewritten, because lengths may violate the standard. */
function copied(
  { kind, version, bytes, frames, rest }: OpenTag,
  isKept: (frame: TagFrame) => boolean,
): Piece[] {
  const pieces = frames.filter(isKept).flatMap(({ id, at, length, contentAt, flags }): Piece[] => {
    if (kind === 'ape') return [bytes.range(at, at + length)]
    const contentLength = at + length - contentAt
    return [
      frameHeader(version as Version, id, contentLength, flags),
      bytes.range(contentAt, contentAt + contentLength),
    ]
  })
  return rest ? [...pieces, rest] : pieces
}

/** Header flags that still hold for the new tag: experimental, and unsynchronisation of 2.4, which is per frame. */
const KEPT_FLAGS = { 2: 0, 3: 0x20, 4: 0xa0 }

function id3Tag(version: Version, flags: number, frames: Piece[]): Piece[] {
  const size = frames.reduce((sum, frame) => sum + lengthOf(frame), 0)
  if (size === 0) return []
  const header = Buffer.from([0x49, 0x44, 0x33, version, 0, flags & KEPT_FLAGS[version]])
  return [Buffer.concat([header, syncsafe(size)]), ...frames]
}

function textFrames(
  version: Version,
  { title, artist, album, year }: EditableTags,
  isDated: boolean,
): Piece[] {
  const texts = { title, artist, album, year: isDated && year !== null ? String(year).padStart(4, '0') : '' }
  return (Object.keys(texts) as (keyof typeof texts)[])
    .filter((field) => texts[field] !== '')
    .flatMap((field) => {
      const content = encoded(version, texts[field])
      return [frameHeader(version, names[version][field], content.length, 0), content]
    })
}

/** Only version 2.4 knows UTF-8; UTF-16 is written with its byte order mark. */
function encoded(version: Version, text: string): Buffer {
  if (version === 4) return Buffer.from(`\x03${text}`)
  return Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')])
}

function frameHeader(version: Version, id: string, length: number, flags: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  if (version === 2) return Buffer.concat([Buffer.from(id, 'latin1'), size.subarray(1)])
  const name = Buffer.from(id.padEnd(4, '\0'), 'latin1')
  return Buffer.concat([
    name,
    version === 4 ? syncsafe(length) : size,
    Buffer.from([flags >> 8, flags & 0xff]),
  ])
}

function apeTag({ version, itemsInRest }: OpenTag, items: Piece[], count: number): Piece[] {
  if (items.length === 0) return []
  const size = 32 + items.reduce((sum, piece) => sum + lengthOf(piece), 0)
  const edge = (flags: number) => {
    const header = Buffer.from('APETAGEX'.padEnd(32, '\0'))
    const numbers = [version, size, count + itemsInRest, flags]
    for (const [i, number] of numbers.entries()) header.writeUInt32LE(number, 8 + 4 * i)
    return header
  }
  if (version < 2000) return [...items, edge(0)]
  return [edge(0xa0000000), ...items, edge(0x80000000)]
}

function syncsafe(n: number): Buffer {
  return Buffer.from([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])
}

async function write(path: string, file: FileHandle, pieces: Piece[]): Promise<void> {
  const target = await open(path, 'wx')
  try {
    for (const piece of pieces) for await (const bytes of bytesOf(file, piece)) await target.appendFile(bytes)
  } finally {
    await target.close()
  }
}

async function digest(file: FileHandle, pieces: Piece[]): Promise<string> {
  const hash = createHash('sha256')
  for (const piece of pieces) for await (const bytes of bytesOf(file, piece)) hash.update(bytes)
  return hash.digest('hex')
}

async function* bytesOf(file: FileHandle, piece: Piece): AsyncGenerator<Buffer> {
  if (!Buffer.isBuffer(piece)) yield* readRange(file, piece)
  else for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES)
}
