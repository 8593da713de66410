import type { FileHandle } from 'node:fs/promises'
import type { Mp3Layout } from './layout.ts'
import { readRange } from './tag-bytes.ts'
import { type OpenTag, openTag, plainContent, type TagFrame } from './tag-frames.ts'

/** Larger pictures are for print. */
const MAX_PICTURE_BYTES = 10 * 1024 * 1024
/** Of those in a tag at most this many are looked at. */
const MAX_PICTURES = 16
/** "Cover (front)" in ID3v2, 4.14. */
const FRONT = 3

/** The front cover in the ID3v2 tags of a file, or else their first picture; null when there is none of at most 10 MB. */
export async function readFrontCover(file: FileHandle, { head }: Mp3Layout): Promise<Buffer | null> {
  let first: Buffer | null = null
  let left = MAX_PICTURES
  for (const place of head) {
    const tag = await openTag(file, place)
    for (const frame of tag?.frames ?? []) {
      if (frame.id !== 'APIC' && frame.id !== 'PIC') continue
      if (left-- === 0) return first
      const picture = await readPicture(file, tag!, frame)
      if (picture?.type === FRONT) return picture.bytes
      first ??= picture?.bytes ?? null
    }
  }
  return first
}

async function readPicture(
  file: FileHandle,
  tag: OpenTag,
  frame: TagFrame,
): Promise<{ type: number; bytes: Buffer } | null> {
  const length = frame.at + frame.length - frame.contentAt
  if (length > MAX_PICTURE_BYTES) return null
  const written = tag.bytes.range(frame.contentAt, frame.contentAt + length)
  const content = plainContent(tag, frame, Buffer.isBuffer(written) ? written : await readAll(file, written))
  return content && pictureIn(content, frame.id)
}

async function readAll(file: FileHandle, range: { from: number; to: number }): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readRange(file, range)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Splits a frame: encoding, type of the content, type of the picture, description, picture. */
function pictureIn(content: Buffer, id: string): { type: number; bytes: Buffer } | null {
  const encoding = content[0]
  // Version 2.2 has three letters, the others a text that a zero ends.
  const typeAt = id === 'PIC' ? 4 : content.indexOf(0, 1) + 1
  const type = content[typeAt]
  if (typeAt === 0 || type === undefined || content.toString('latin1', 1, 4) === '-->') return null
  const at = endOfText(content, typeAt + 1, encoding === 1 || encoding === 2)
  return at === null || at >= content.length ? null : { type, bytes: content.subarray(at) }
}

/** The position behind the zero that ends a text, two zeros when its characters have two bytes. */
function endOfText(bytes: Buffer, from: number, isWide: boolean): number | null {
  if (!isWide) {
    const end = bytes.indexOf(0, from)
    return end < 0 ? null : end + 1
  }
  for (let at = from; at + 1 < bytes.length; at += 2)
    if (bytes[at] === 0 && bytes[at + 1] === 0) return at + 2
  return null
}
