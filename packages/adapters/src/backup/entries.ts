import { createHash } from 'node:crypto'
import {
  type AnyContents,
  type CollectionName,
  type CollectionSpec,
  collections,
  Failure,
  type MediaKey,
  type MediaStorage,
  mediaFolders,
} from '@solstice/station'
import { assertFit } from '../data/record.ts'
import { namesIn } from '../media/keys.ts'
import { isNotFound } from '../media/not-found.ts'
import { ArchiveError, type FileToPack, type PackedFile, readWhole } from './archive.ts'
import type { FileDigests } from './manifest.ts'

export const MANIFEST_PATH = 'manifest.json'

/** The meaning of a file in an archive. */
export type Entry =
  | { kind: 'manifest' }
  | { kind: 'collection'; name: CollectionName }
  | { kind: 'media'; key: MediaKey }

/** @throws ArchiveError when a backup has no such file, above all when the path would lead elsewhere. */
export function entryOf(path: string): Entry {
  if (path === MANIFEST_PATH) return { kind: 'manifest' }
  const name = /^collections\/(\w+)\.ndjson$/.exec(path)?.[1]
  if (name && Object.hasOwn(collections, name)) return { kind: 'collection', name: name as CollectionName }
  const key = path.startsWith('media/') ? path.slice('media/'.length) : ''
  if (mediaFolders.includes(key.slice(0, Math.max(0, key.lastIndexOf('/')))) && isKey(key))
    return { kind: 'media', key }
  throw new ArchiveError(`it holds a file that no backup has: ${JSON.stringify(path.slice(0, 200))}`)
}

function isKey(key: string): boolean {
  try {
    return !namesIn(key).at(-1)!.startsWith('.')
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Records as lines of JSON. */
export function collectionFile(name: CollectionName, { records }: AnyContents): FileToPack {
  const lines = function* () {
    for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`)
  }
  let size = 0
  for (const line of lines()) size += line.length
  const content = async function* () {
    yield* lines()
  }
  return { path: `collections/${name}.ndjson`, size, content: content() }
}

/** @throws ArchiveError when the lines are not records of this collection. */
export async function readRecords(
  file: PackedFile,
  name: CollectionName,
  maxBytes: number,
): Promise<AnyContents['records']> {
  const records: Record<string, unknown>[] = []
  const text = await readWhole(file, maxBytes)
  const spec: CollectionSpec = collections[name]
  try {
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(10, at)
      records.push(JSON.parse(text.toString('utf8', at, end < 0 ? text.length : end)))
      at = end < 0 ? text.length : end + 1
    }
    assertFit(records, spec)
  } catch (error) {
    throw new ArchiveError(`${file.path} cannot be used: ${(error as Error).message}`)
  }
  return records
}

/**
 * A file of the media storage, whose digest is noted once it was read; null when it is gone since it was listed. To be closed
 * in the end, read or not.
 */
export async function mediaFile(
  media: MediaStorage,
  key: MediaKey,
  digests: FileDigests,
): Promise<(FileToPack & { close(): void }) | null> {
  const file = await media.stat(key)
  const opened = file && (await media.open(key).catch(nullIfNotFound))
  if (!file || !opened) return null
  const hash = createHash('sha256')
  const content = async function* () {
    for await (const piece of opened as AsyncIterable<Buffer>) {
      hash.update(piece)
      yield piece
    }
    digests[key] = { bytes: file.size, sha256: hash.digest('hex') }
  }
  return { path: `media/${key}`, size: file.size, content: content(), close: () => opened.destroy() }
}

function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}
