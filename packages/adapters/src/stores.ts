import type { DataStore, MediaStorage } from '@solstice/station'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { openJsonData } from './data/json/store.ts'
import { openLocalMedia } from './media/local.ts'

/** Opens the configured storage of the station's files. */
export async function openMedia(
  { bucket, mediaDir }: Pick<Config, 'bucket' | 'mediaDir'>,
  log: Logger,
): Promise<MediaStorage> {
  if (!bucket) return openLocalMedia(mediaDir)
  // Loaded on demand: stations with local files should not load the S3 client at every start.
  const { openS3Media } = await import('./media/s3/storage.ts')
  return openS3Media(bucket, log)
}

/** Opens the configured store of the station's records. @param atStart as in `openPostgresData`. */
export async function openData(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  log: Logger,
  atStart?: 'required' | 'awaited',
): Promise<DataStore> {
  if (!database) return openJsonData(dataDir)
  const { openPostgresData } = await import('./data/postgres/store.ts')
  return openPostgresData(database.url, database.poolMax, log, atStart)
}
