import type { CollectionName, MediaKey } from '@solstice/station'
import { ArchiveError, type PackedFile, readWhole } from './archive.ts'

export const FORMAT = 'solstice-backup'
export const FORMAT_VERSION = 1
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024
/** Of all collections together: a restore reads them into memory. */
export const MAX_DATA_BYTES = 512 * 1024 * 1024

/** The contents of an archive by name; its last file, so an archive that was cut off has none. */
export interface BackupManifest {
  format: typeof FORMAT
  version: typeof FORMAT_VERSION
  /** ISO 8601 */
  createdAt: string
  /** `each`: the station may have been running, so collections may be of different moments. */
  consistency: 'all' | 'each'
  /** `sha256` as `digestOf`. */
  collections: Partial<Record<CollectionName, { records: number; serial: number; sha256: string }>>
  /** null = the backup is without files. */
  media: FileDigests | null
}

export type FileDigests = Record<MediaKey, { bytes: number; sha256: string }>

/** @throws ArchiveError */
export async function readManifest(file: PackedFile): Promise<BackupManifest> {
  const text = (await readWhole(file, MAX_MANIFEST_BYTES)).toString()
  try {
    const manifest = JSON.parse(text) as Partial<BackupManifest> | null
    if (manifest?.format !== FORMAT) throw new ArchiveError('its manifest is not that of a backup')
    if (manifest.version !== FORMAT_VERSION)
      throw new ArchiveError(
        `its format is version ${manifest.version}; this is for version ${FORMAT_VERSION}`,
      )
    if (
      typeof manifest.collections !== 'object' ||
      !manifest.collections ||
      typeof manifest.media !== 'object'
    )
      throw new ArchiveError('its manifest is incomplete')
    return manifest as BackupManifest
  } catch (error) {
    throw error instanceof ArchiveError ? error : new ArchiveError('its manifest cannot be read')
  }
}
