import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import {
  type AnyContents,
  type CollectionName,
  collectionNames,
  contentsOf,
  type DataStore,
  digestOf,
  listMedia,
  type MediaStorage,
} from '@solstice/station'
import { syncFolder } from '../files/durable-files.ts'
import { type FileToPack, pack } from './archive.ts'
import { collectionFile, MANIFEST_PATH, mediaFile } from './entries.ts'
import {
  type BackupManifest,
  FORMAT,
  FORMAT_VERSION,
  MAX_DATA_BYTES,
  MAX_MANIFEST_BYTES,
} from './manifest.ts'

/** The station that is backed up. */
export interface BackupSource {
  data: DataStore
  /** null = a backup without files. */
  media: MediaStorage | null
  isRunning: boolean
  /** Reads a collection; `contentsOf` the data store unless it is given. */
  contents?: (name: CollectionName) => Promise<AnyContents>
}

/**
 * Writes all records of the station, and its files unless `media` is null, into one archive. It gets its name once it is
 * complete, and only its owner may read it: it holds the hashes of passwords.
 *
 * @throws when there is a file of that name, or more than a restore accepts; the reason of `signal`.
 */
export async function writeBackup(
  path: string,
  source: BackupSource,
  signal: AbortSignal,
  onFile: (name: string) => void = () => {},
): Promise<BackupManifest> {
  if (await stat(path).catch(() => null)) throw new Error(`${path} exists already`)
  const now = new Date()
  const manifest: BackupManifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: now.toISOString(),
    consistency: source.isRunning ? 'each' : 'all',
    collections: {},
    media: source.media && {},
  }
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  // Opened first: a stream that fails at once would make its file only after it was removed.
  const file = await open(temporary, 'wx', 0o600)
  try {
    await pipeline(
      pack(filesOf(source, manifest, onFile), now),
      // Music does not get smaller.
      createGzip({ level: 1 }),
      file.createWriteStream({ flush: true }),
      { signal },
    )
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(path))
  return manifest
}

/** The files of the archive in order; the manifest is filled in on the way and comes last. */
async function* filesOf(
  source: BackupSource,
  manifest: BackupManifest,
  onFile: (name: string) => void,
): AsyncGenerator<FileToPack> {
  yield* collectionFiles(source, manifest, onFile)
  if (source.media && manifest.media) {
    for (const key of await listMedia(source.media)) {
      const file = await mediaFile(source.media, key, manifest.media)
      if (file) yield file
      onFile(key)
    }
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  if (text.length > MAX_MANIFEST_BYTES) throw new Error('there are more files than a restore takes')
  yield { path: MANIFEST_PATH, size: text.length, content: once(text) }
}

async function* collectionFiles(
  { data, contents = (name) => contentsOf(data, name) }: BackupSource,
  manifest: BackupManifest,
  onFile: (name: string) => void,
): AsyncGenerator<FileToPack> {
  let bytes = 0
  for (const name of collectionNames) {
    const held = await contents(name)
    const file = collectionFile(name, held)
    bytes += file.size
    if (bytes > MAX_DATA_BYTES)
      throw new Error(
        `all records are more than ${MAX_DATA_BYTES} bytes, which no restore takes; use pg_dump`,
      )
    manifest.collections[name] = {
      records: held.records.length,
      serial: held.serial,
      sha256: digestOf(held),
    }
    yield file
    onFile(name)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
