import type { FileHandle } from 'node:fs/promises'
import { fromSyncsafe, type TagPlace } from './layout.ts'
import { type FileRange, openTagBytes, readSynchronised, synchronised, type TagBytes } from './tag-bytes.ts'

/** Ordinary tags have some dozens of frames; all those that fit into a large file would take a second to read. */
export const MAX_FRAMES = 5_000
/** Texts are cut to 300 characters after spaces and control characters have been removed. */
const MAX_TEXT_BYTES = 16 * 1024

/** A frame of an ID3v2 tag or an item of an APE tag. */
export interface TagFrame {
  /** The id of the standard; APE keys in lower case. */
  id: string
  /** Start of the frame, header included, within the tag's bytes. */
  at: number
  length: number
  /** Start of the content behind the header. */
  contentAt: number
  /** Flags of ID3v2.3 and 2.4: first status, then format. */
  flags: number
}

/** A tag whose frames have been located; their contents are still in the file. */
export interface OpenTag {
  kind: 'id3v2' | 'ape'
  /** Of ID3v2: 2, 3 or 4. */
  version: number
  /** Of the header of an ID3v2 tag. */
  flags: number
  bytes: TagBytes
  frames: TagFrame[]
  /** Everything behind the last located frame, unless it is padding. */
  rest: Buffer | FileRange | null
  /** Items of an APE tag within `rest`. */
  itemsInRest: number
}

/** Opens an ID3v2 tag (id3.org: 2.2, 2.3, 2.4) or an APE tag; null for an unknown version. */
export async function openTag(file: FileHandle, place: TagPlace): Promise<OpenTag | null> {
  if (place.kind === 'ape') return openApe(file, place)
  return place.kind === 'id3v2' ? openId3(file, place) : null
}

/** The text of a frame without trailing zeros; null when it is compressed, encrypted or binary. */
export async function readText(tag: OpenTag, frame: TagFrame): Promise<string | null> {
  const { kind, bytes } = tag
  const length = Math.min(frame.at + frame.length - frame.contentAt, MAX_TEXT_BYTES)
  const content: Buffer = Buffer.from(await bytes.read(frame.contentAt, length))
  if (kind === 'ape') return frame.flags & 0x06 ? null : content.toString()
  const text = plainContent(tag, frame, content)
  return text === null || text.length === 0 ? null : decode(text.subarray(1), text[0]!).replace(/\0+$/, '')
}

/** The content of an ID3v2 frame as it was before it was written; null when it is compressed or encrypted. */
export function plainContent(
  { version, flags }: Pick<OpenTag, 'version' | 'flags'>,
  frame: TagFrame,
  written: Buffer,
): Buffer | null {
  let content = written
  const has = (v3: number, v4: number) => (frame.flags & (version === 3 ? v3 : version === 4 ? v4 : 0)) !== 0
  const isCompressedOrEncrypted = has(0xc0, 0x0c)
  if (isCompressedOrEncrypted) return null
  if (has(0x20, 0x40)) content = content.subarray(1)
  if (has(0, 0x01)) content = content.subarray(4)
  if (has(0, 0x02) || (version === 4 && flags & 0x80)) content = synchronised(content)
  return content
}

async function openId3(file: FileHandle, { at, length }: TagPlace): Promise<OpenTag | null> {
  const header = await openTagBytes(file, { from: at, to: at + length }).read(0, 10)
  const [version, flags] = [header[3]!, header[5]!]
  if (version < 2 || version > 4) return null
  const hasFooter = version === 4 && (flags & 0x10) !== 0
  const body = { from: at + 10, to: at + length - (hasFooter ? 10 : 0) }
  const isUnsynchronised = version < 4 && (flags & 0x80) !== 0
  const bytes = openTagBytes(file, isUnsynchronised ? await readSynchronised(file, body) : body)
  const frames: TagFrame[] = []
  let next = await extendedHeaderLength(bytes, version, flags)
  while (frames.length < MAX_FRAMES) {
    const frame = await frameAt(bytes, next, version)
    if (!frame) break
    frames.push(frame)
    next += frame.length
  }
  const isPadding = ((await bytes.read(next, 1))[0] ?? 0) === 0
  const rest = isPadding ? null : bytes.range(next, bytes.size)
  return { kind: 'id3v2', version, flags, bytes, frames, rest, itemsInRest: 0 }
}

async function extendedHeaderLength(bytes: TagBytes, version: number, flags: number): Promise<number> {
  const size = Buffer.from(await bytes.read(0, 4))
  if ((flags & 0x40) === 0 || version === 2 || size.length < 4) return 0
  return version === 3 ? 4 + size.readUInt32BE(0) : fromSyncsafe(size.readUInt32BE(0))
}

async function frameAt(bytes: TagBytes, at: number, version: number): Promise<TagFrame | null> {
  const header = Buffer.from(await bytes.read(at, version === 2 ? 6 : 10))
  const id = idIn(header, version)
  if (id === null) return null
  const contentAt = at + header.length
  const contentLength =
    version === 2
      ? header.readUIntBE(3, 3)
      : version === 3
        ? header.readUInt32BE(4)
        : await lengthIn24(bytes, contentAt, header)
  const length = Math.min(header.length + contentLength, bytes.size - at)
  return { id, at, length, contentAt, flags: version === 2 ? 0 : header.readUInt16BE(8) }
}

/** Some programs leave the three-letter ids of 2.2 in tags of later versions. */
function idIn(header: Buffer, version: number): string | null {
  if (header.length < (version === 2 ? 6 : 10)) return null
  const id = header.toString('latin1', 0, version === 2 ? 3 : 4)
  return /^[A-Z][A-Z0-9]{2}[A-Z0-9 \0]?$/.test(id) ? id.replace(/[ \0]$/, '') : null
}

/** ID3v2.4 lengths use seven bits of a byte, but some programs use all eight; the following frame tells which it is. */
async function lengthIn24(bytes: TagBytes, contentAt: number, header: Buffer): Promise<number> {
  const [plain, safe] = [header.readUInt32BE(4), fromSyncsafe(header.readUInt32BE(4))]
  if (plain === safe) return safe
  if (plain & 0x80808080) return plain
  const isEnd = async (length: number) => {
    const following = Buffer.from(await bytes.read(contentAt + length, 10))
    return following.length === 0 || following[0] === 0 || idIn(following, 4) !== null
  }
  return !(await isEnd(safe)) && (await isEnd(plain)) ? plain : safe
}

const APE_EDGE_BYTES = 32
const MAX_APE_KEY_BYTES = 256

/** Opens an APE tag, whose range ends with its footer. */
async function openApe(file: FileHandle, { at, length }: TagPlace): Promise<OpenTag | null> {
  const whole = openTagBytes(file, { from: at, to: at + length })
  const footer = Buffer.from(await whole.read(length - APE_EDGE_BYTES, APE_EDGE_BYTES))
  if (footer.length < APE_EDGE_BYTES) return null
  const [version, count] = [footer.readUInt32LE(8), footer.readUInt32LE(16)]
  const from = at + Math.max(0, length - footer.readUInt32LE(12))
  const bytes = openTagBytes(file, { from, to: Math.max(from, at + length - APE_EDGE_BYTES) })
  const frames: TagFrame[] = []
  let next = 0
  while (frames.length < Math.min(count, MAX_FRAMES)) {
    const header = Buffer.from(await bytes.read(next, 8 + MAX_APE_KEY_BYTES))
    const keyEnd = header.indexOf(0, 8)
    if (header.length < 8 || keyEnd < 0) break
    const id = header.toString('latin1', 8, keyEnd).toLowerCase()
    const itemLength = Math.min(keyEnd + 1 + header.readUInt32LE(0), bytes.size - next)
    frames.push({
      id,
      at: next,
      length: itemLength,
      contentAt: next + keyEnd + 1,
      flags: header.readUInt32LE(4),
    })
    next += itemLength
  }
  const rest = next < bytes.size ? bytes.range(next, bytes.size) : null
  return {
    kind: 'ape',
    version,
    flags: 0,
    bytes,
    frames,
    rest,
    itemsInRest: rest ? count - frames.length : 0,
  }
}

const windows1252 = new TextDecoder('windows-1252')

/** Decodes by the ID3v2 encoding byte; unknown values mean Windows-1252, which most old programs wrote. */
function decode(bytes: Buffer, encoding: number): string {
  if (encoding === 3) return bytes.toString('utf8')
  if (encoding !== 1 && encoding !== 2) return windows1252.decode(bytes)
  let isBigEndian = encoding === 2
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const unit = isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
    // A byte order mark read the wrong way round: the rest has the other order.
    if (unit === 0xfffe) isBigEndian = !isBigEndian
    else if (unit !== 0xfeff) text += String.fromCharCode(unit)
  }
  return text
}
