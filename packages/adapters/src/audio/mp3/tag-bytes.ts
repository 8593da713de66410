import type { FileHandle } from 'node:fs/promises'

const WINDOW_BYTES = 64 * 1024

/** Bytes of a file: `to` is the first that is not among them. */
export interface FileRange {
  from: number
  to: number
}

/** The bytes of a tag, read on demand: a tag may be as large as a file. */
export interface TagBytes {
  readonly size: number
  /** Up to 64 KB, fewer at the end; valid until the next call. */
  read(at: number, length: number): Promise<Buffer>
  range(from: number, to: number): Buffer | FileRange
}

/** @param source the range of the bytes in the file, or the bytes themselves. */
export function openTagBytes(file: FileHandle, source: FileRange | Buffer): TagBytes {
  if (Buffer.isBuffer(source))
    return {
      size: source.length,
      read: async (at, length) => source.subarray(at, at + length),
      range: (from, to) => source.subarray(from, to),
    }
  const size = source.to - source.from
  const window = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, size))
  let windowAt = 0
  let filled = 0
  return {
    size,
    async read(at, length) {
      const end = Math.min(at + length, size)
      if (at < windowAt || end > windowAt + filled) {
        windowAt = at
        const wanted = Math.max(0, Math.min(window.length, size - at))
        filled = (await file.read(window, 0, wanted, source.from + at)).bytesRead
      }
      return window.subarray(at - windowAt, Math.min(Math.max(at, end) - windowAt, filled))
    },
    range: (from, to) => ({ from: source.from + from, to: source.from + to }),
  }
}

/** The bytes of a range, piece by piece; each is valid until the next is requested. */
export async function* readRange(file: FileHandle, { from, to }: FileRange): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, Math.max(0, to - from)))
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, to - at), at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Bytes of a file with unsynchronisation undone, as `synchronised` does. */
export async function readSynchronised(file: FileHandle, range: FileRange): Promise<Buffer> {
  const into = Buffer.allocUnsafe(Math.max(0, range.to - range.from))
  let length = 0
  let before = 0
  for await (const piece of readRange(file, range)) {
    length = synchronise(piece, before, into, length)
    before = piece[piece.length - 1]!
  }
  return into.subarray(0, length)
}

/** Undoes unsynchronisation (ID3v2, 6.1): removes the zero that keeps a 0xFF from looking like an MPEG frame. */
export function synchronised(bytes: Buffer): Buffer {
  const into = Buffer.allocUnsafe(bytes.length)
  return into.subarray(0, synchronise(bytes, 0, into, 0))
}

function synchronise(bytes: Buffer, before: number, into: Buffer, at: number): number {
  let length = at
  let last = before
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte !== 0 || last !== 0xff) into[length++] = byte
    last = byte
  }
  return length
}
