import { Header, Pax } from 'tar'

const BLOCK_BYTES = 512
/** Extended headers hold little more than a path. */
const MAX_PAX_BYTES = 64 * 1024

/** The archive is truncated, damaged, or contains what it must not. */
export class ArchiveError extends Error {}

/** A file on its way into an archive. */
export interface FileToPack {
  path: string
  size: number
  content: AsyncIterable<Uint8Array>
}

/** A file of an archive; its content must be read before the next file is requested. */
export interface PackedFile {
  path: string
  size: number
  content: AsyncIterable<Buffer>
}

/**
 * Writes files as a tar archive (POSIX.1-2001, pax), piece by piece.
 *
 * @throws when a content is not of the stated size.
 */
export async function* pack(files: AsyncIterable<FileToPack>, mtime: Date): AsyncGenerator<Uint8Array> {
  for await (const { path, size, content } of files) {
    const about = { path, size, mtime, mode: 0o600, type: 'File' } as const
    const header = new Header(about)
    // The encoder does not clear the block itself.
    header.block = Buffer.alloc(BLOCK_BYTES)
    if (header.encode(header.block)) yield new Pax({ path, size }).encode()
    yield header.block
    let left = size
    for await (const piece of content) {
      left -= piece.length
      if (left < 0) break
      yield piece
    }
    if (left !== 0) throw new Error(`${path} changed while it was read`)
    yield Buffer.alloc(-size & (BLOCK_BYTES - 1))
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/**
 * Reads the files of a tar archive. Links, devices, folders and all other kinds of entries are refused.
 *
 * @throws ArchiveError
 */
export async function* unpack(archive: AsyncIterable<Uint8Array>): AsyncGenerator<PackedFile> {
  const bytes = new Bytes(archive)
  for (;;) {
    const { header, about } = await readHeader(bytes)
    if (!header) return
    const { path = '', size = 0 } = new Header(header, 0, about)
    const { type } = new Header(header)
    if (type !== 'File' && type !== 'OldFile')
      throw new ArchiveError(`it holds something that is no file: ${path}`)
    if (!Number.isSafeInteger(size) || size < 0) throw new ArchiveError('it is damaged')
    let left = size
    const content = async function* () {
      while (left > 0) {
        const piece = await bytes.upTo(left)
        left -= piece.length
        yield piece
      }
    }
    yield { path, size, content: content() }
    while (left > 0) left -= (await bytes.upTo(left)).length
    await bytes.exactly(-size & (BLOCK_BYTES - 1))
  }
}

/** The header of the next file, with the extended header before it; null at the end of the archive. */
async function readHeader(bytes: Bytes): Promise<{ header: Buffer | null; about?: Pax }> {
  let about: Pax | undefined
  for (;;) {
    const block = await bytes.exactly(BLOCK_BYTES)
    const header = new Header(block)
    if (header.nullBlock) return { header: null }
    if (!header.cksumValid) throw new ArchiveError('it is damaged')
    if (header.type !== 'ExtendedHeader') return { header: block, about }
    const size = header.size ?? 0
    if (size > MAX_PAX_BYTES) throw new ArchiveError('it says too much of a file')
    about = Pax.parse((await bytes.exactly(size)).toString('utf8'))
    await bytes.exactly(-size & (BLOCK_BYTES - 1))
  }
}

/** A byte reader over pieces of any size. */
class Bytes {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** The next bytes, at least one and at most `most`. @throws ArchiveError when there are none. */
  async upTo(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done) throw new ArchiveError('it is broken off')
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length)
    }
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let left = count; left > 0; left -= pieces.at(-1)!.length) pieces.push(await this.upTo(left))
    return Buffer.concat(pieces, count)
  }
}

/** @throws ArchiveError when the file is larger. */
export async function readWhole(file: PackedFile, maxBytes: number): Promise<Buffer> {
  assertSize(file, maxBytes)
  const pieces: Buffer[] = []
  for await (const piece of file.content) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** @throws ArchiveError when the file is larger. */
export function assertSize({ path, size }: PackedFile, maxBytes: number): void {
  if (size > maxBytes) throw new ArchiveError(`${path} is too large`)
}
