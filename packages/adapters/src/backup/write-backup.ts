import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../files/durable-files.ts'
import type { BackupManifest } from './manifest.ts'
import { type BackupSource, type OnBackupFile, streamBackup } from './stream-backup.ts'

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
  onFile?: OnBackupFile,
): Promise<BackupManifest> {
  if (await stat(path).catch(() => null)) throw new Error(`${path} exists already`)
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  // Opened first: a stream that fails at once would make its file only after it was removed.
  const file = await open(temporary, 'wx', 0o600)
  try {
    const { archive, manifest } = streamBackup(source, signal, onFile)
    await pipeline(archive, file.createWriteStream({ flush: true }), { signal })
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return manifest
  } finally {
    await rm(temporary, { force: true })
  }
}
