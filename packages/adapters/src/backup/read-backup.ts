import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import {
  type AnyContents,
  type CollectionName,
  collectionNames,
  copyData,
  type DataStore,
  digestOf,
  type MediaKey,
  type MediaStorage,
} from '@solstice/station'
import { ArchiveError, assertSize, type PackedFile, unpack } from './archive.ts'
import { entryOf, readRecords } from './entries.ts'
import { type BackupManifest, type FileDigests, MAX_DATA_BYTES, readManifest } from './manifest.ts'

const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024
const MAX_FILES = 1_000_000

/** An archive that was read from its first to its last byte. */
export interface Backup {
  manifest: BackupManifest
  /** Of all its files. */
  mediaBytes: number
  /** Replaces all records by those of the archive; files that are not in the archive stay. */
  restore(
    station: { data: DataStore; media: MediaStorage | null },
    signal: AbortSignal,
    onFile?: (name: string) => void,
  ): Promise<void>
}

/** The contents of an archive, not yet compared with its manifest. */
interface Found {
  manifest: BackupManifest
  contents: Map<CollectionName, AnyContents['records']>
  media: FileDigests
}

/**
 * Reads an archive and checks all of it against its manifest, without writing anything.
 *
 * @throws ArchiveError naming the fault.
 */
export async function readBackup(path: string, signal: AbortSignal): Promise<Backup> {
  const found = await readArchive(path, signal)
  assertAsInManifest(found)
  const { manifest, media } = found
  return {
    manifest,
    mediaBytes: Object.values(media).reduce((sum, { bytes }) => sum + bytes, 0),
    async restore(station, signal, onFile = () => {}) {
      // Files first: a record never points at one that is missing.
      if (station.media) {
        for await (const file of filesOf(path, signal)) {
          const entry = entryOf(file.path)
          if (entry.kind !== 'media') continue
          await putChecked(station.media, entry.key, file, media[entry.key]?.sha256)
          onFile(entry.key)
        }
      }
      signal.throwIfAborted()
      await copyData(async (name) => contentsIn(found, name), station.data, signal, onFile)
    },
  }
}

async function readArchive(path: string, signal: AbortSignal): Promise<Found> {
  const contents: Found['contents'] = new Map()
  const media: FileDigests = {}
  let manifest: BackupManifest | null = null
  let count = 0
  let dataBytes = 0
  for await (const file of filesOf(path, signal)) {
    if (manifest) throw new ArchiveError('something comes after its manifest')
    if (++count > MAX_FILES) throw new ArchiveError('it has too many files')
    const entry = entryOf(file.path)
    if (entry.kind === 'manifest') manifest = await readManifest(file)
    else if (entry.kind === 'collection') {
      if (contents.has(entry.name)) throw new ArchiveError(`${file.path} comes twice`)
      contents.set(entry.name, await readRecords(file, entry.name, MAX_DATA_BYTES - dataBytes))
      dataBytes += file.size
    } else {
      if (Object.hasOwn(media, entry.key)) throw new ArchiveError(`${file.path} comes twice`)
      assertSize(file, MAX_FILE_BYTES)
      const hash = createHash('sha256')
      for await (const piece of file.content) hash.update(piece)
      media[entry.key] = { bytes: file.size, sha256: hash.digest('hex') }
    }
  }
  if (!manifest) throw new ArchiveError('it has no manifest, so it is broken off or no backup')
  return { manifest, contents, media }
}

function contentsIn({ manifest, contents }: Found, name: CollectionName): AnyContents {
  return { records: contents.get(name) ?? [], serial: manifest.collections[name]?.serial ?? 0 }
}

/** @throws ArchiveError for the first collection or file that differs from the manifest. */
function assertAsInManifest(found: Found): void {
  const { manifest, contents, media } = found
  for (const name of collectionNames) {
    const listed = manifest.collections[name]
    const { records, serial } = contentsIn(found, name)
    const isSame = listed
      ? contents.has(name) &&
        listed.records === records.length &&
        listed.sha256 === digestOf({ records, serial })
      : !contents.has(name)
    if (!isSame) throw new ArchiveError(`${name} is not what the manifest says`)
  }
  const listed = manifest.media ?? {}
  for (const key of new Set([...Object.keys(media), ...Object.keys(listed)])) {
    const [one, other] = [media[key], listed[key]]
    if (one?.bytes !== other?.bytes || one?.sha256 !== other?.sha256)
      throw new ArchiveError(`media/${key} is not what the manifest says`)
  }
}

/** Restores a file unless it differs from what was checked before. */
async function putChecked(
  media: MediaStorage,
  key: MediaKey,
  file: PackedFile,
  sha256: string | undefined,
): Promise<void> {
  const hash = createHash('sha256')
  const pieces = async function* () {
    for await (const piece of file.content) {
      hash.update(piece)
      yield piece
    }
    if (hash.digest('hex') !== sha256) throw new ArchiveError('it was changed while it was read')
  }
  await media.put(key, pieces())
}

async function* filesOf(path: string, signal: AbortSignal): AsyncGenerator<PackedFile> {
  const packed = createReadStream(path, { signal })
  const gunzip = createGunzip()
  packed.on('error', (error) => gunzip.destroy(error))
  try {
    yield* unpack(unzipped(packed.pipe(gunzip)))
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

/** @throws ArchiveError for errors of zlib. */
async function* unzipped(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && code.startsWith('Z_'))
      throw new ArchiveError('it is broken off or damaged')
    throw error
  }
}
