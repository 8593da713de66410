import type { Readable } from 'node:stream'
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

/** Called after each file of the archive; throwing breaks the backup off. */
export type OnBackupFile = (name: string) => void | Promise<void>

/**
 * Reads all records of the station, and its files unless `media` is null, as one compressed archive, no faster than the
 * archive is read. It holds the hashes of passwords. Destroying it ends the reading.
 *
 * @returns the archive, which fails with the reason of `signal` or when there is more than a restore accepts, and the
 * manifest, which is complete once the archive has ended.
 */
export function streamBackup(
  source: BackupSource,
  signal: AbortSignal,
  onFile: OnBackupFile = () => {},
): { archive: Readable; manifest: BackupManifest } {
  const now = new Date()
  const manifest: BackupManifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: now.toISOString(),
    consistency: source.isRunning ? 'each' : 'all',
    collections: {},
    media: source.media && {},
  }
  // Music does not get smaller.
  const archive = createGzip({ level: 1 })
  // Its reader learns of an error by the archive itself.
  pipeline(pack(filesOf(source, manifest, onFile), now), archive, { signal }).catch(() => {})
  return { archive, manifest }
}

/** The files of the archive in order; the manifest is filled in on the way and comes last. */
async function* filesOf(
  source: BackupSource,
  manifest: BackupManifest,
  onFile: OnBackupFile,
): AsyncGenerator<FileToPack> {
  yield* collectionFiles(source, manifest, onFile)
  if (source.media && manifest.media) {
    for (const key of await listMedia(source.media)) {
      const file = await mediaFile(source.media, key, manifest.media)
      try {
        if (file) yield file
      } finally {
        file?.close()
      }
      await onFile(key)
    }
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  if (text.length > MAX_MANIFEST_BYTES) throw new Error('there are more files than a restore takes')
  yield { path: MANIFEST_PATH, size: text.length, content: once(text) }
}

async function* collectionFiles(
  { data, contents = (name) => contentsOf(data, name) }: BackupSource,
  manifest: BackupManifest,
  onFile: OnBackupFile,
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
    await onFile(name)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
