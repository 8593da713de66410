import type { FileHandle } from 'node:fs/promises'
import { findSound, id3Length } from './mp3-length.ts'

/** One frame of an ID3v2 tag or one item of an APE tag: what it is called and what it says, however that is written. */
export interface TagFrame {
  id: string
  content: Buffer
}

/**
 * Reads all ID3v2 frames (id3.org: 2.2, 2.3, 2.4) and APE items of a file as they are, known or not. Texts come as
 * UTF-8 without the zeros behind them, so that two ways to write the same are equal.
 */
export async function readFrames(file: FileHandle): Promise<TagFrame[]> {
  const { start, end } = await findSound(file)
  const { size } = await file.stat()
  const head = await readBytes(file, 0, start)
  const tail = await readBytes(file, end, size)
  const frames: TagFrame[] = []
  for (let at = 0, length = id3Length(head, 0); length > 0; at += length, length = id3Length(head, at))
    frames.push(...framesOfId3(head.subarray(at, at + length)))
  const ape = tail.indexOf('APETAGEX')
  return ape < 0 ? frames : [...frames, ...itemsOfApe(tail, ape)]
}

async function readBytes(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from)
  await file.read(bytes, 0, bytes.length, from)
  return bytes
}

function framesOfId3(tag: Buffer): TagFrame[] {
  const [version, flags] = [tag[3]!, tag[5]!]
  const isUnsynchronised = (flags & 0x80) !== 0
  let bytes = tag.subarray(10)
  if (isUnsynchronised && version < 4) bytes = synchronised(bytes)
  if (flags & 0x40 && version === 3) bytes = bytes.subarray(4 + bytes.readUInt32BE(0))
  if (flags & 0x40 && version === 4) bytes = bytes.subarray(syncsafe(bytes, 0))

  const [idLength, headLength] = version === 2 ? [3, 6] : [4, 10]
  const frames: TagFrame[] = []
  let at = 0
  while (at + headLength < bytes.length && bytes[at] !== 0) {
    const id = bytes.toString('latin1', at, at + idLength)
    const length =
      version === 2
        ? bytes.readUIntBE(at + 3, 3)
        : version === 3
          ? bytes.readUInt32BE(at + 4)
          : syncsafe(bytes, at + 4)
    const format = version === 4 ? bytes[at + 9]! : 0
    let content = bytes.subarray(at + headLength, at + headLength + length)
    if (format & 0x02) content = synchronised(content)
    if (format & 0x01) content = content.subarray(4)
    frames.push({ id, content: plain(id, content) })
    at += headLength + length
  }
  return frames
}

const withLanguage = new Set(['COMM', 'USLT', 'COM', 'ULT'])
const withText = new Set([...withLanguage, 'WXXX', 'WXX', 'IPLS', 'IPL'])

function plain(id: string, content: Buffer): Buffer {
  const encoding = content[0] ?? 4
  if (encoding > 3 || !(id.startsWith('T') || withText.has(id))) return content
  const language = withLanguage.has(id) ? content.subarray(1, 4) : Buffer.alloc(0)
  const text = decode(content.subarray(1 + language.length), encoding).replace(/\0+$/, '')
  return Buffer.concat([language, Buffer.from(text)])
}

function decode(bytes: Buffer, encoding: number): string {
  if (encoding === 0) return bytes.toString('latin1')
  if (encoding === 3) return bytes.toString('utf8')
  let isBigEndian = encoding === 2
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const unit = isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
    // A mark that reads the wrong way round turns what follows it.
    if (unit === 0xfffe) isBigEndian = !isBigEndian
    else if (unit !== 0xfeff) text += String.fromCharCode(unit)
  }
  return text
}

function syncsafe(bytes: Buffer, at: number): number {
  return (bytes[at]! << 21) | (bytes[at + 1]! << 14) | (bytes[at + 2]! << 7) | bytes[at + 3]!
}

/** Takes out the zeros that keep 0xFF from looking like the start of a frame of sound. */
function synchronised(bytes: Buffer): Buffer {
  return Buffer.from(bytes.filter((byte, i) => !(byte === 0 && bytes[i - 1] === 0xff)))
}

function itemsOfApe(tail: Buffer, at: number): TagFrame[] {
  // A tag begins with a header, or with its first item when it only has a footer.
  const isHeader = (tail.readUInt32LE(at + 20) & 0x20000000) !== 0
  const [size, count] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  let next = isHeader ? at + 32 : at + 32 - size
  const items: TagFrame[] = []
  for (let i = 0; i < count && next >= 0 && next + 8 < tail.length; i++) {
    const length = tail.readUInt32LE(next)
    const keyEnd = tail.indexOf(0, next + 8)
    if (keyEnd < 0) break
    const id = `APE ${tail.toString('latin1', next + 8, keyEnd).toLowerCase()}`
    items.push({ id, content: tail.subarray(keyEnd + 1, keyEnd + 1 + length) })
    next = keyEnd + 1 + length
  }
  return items
}
