import type { DataStore, MediaStorage } from '@solstice/station'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { openJsonData } from './data/json/store.ts'
import { openLocalMedia } from './media/local.ts'

/** The files of the station, where the configuration says that they are. */
export async function openMedia(
  { bucket, mediaDir }: Pick<Config, 'bucket' | 'mediaDir'>,
  log: Logger,
): Promise<MediaStorage> {
  if (!bucket) return openLocalMedia(mediaDir)
  // Stations with files of their own need not wait at each start until all this is loaded.
  const { openS3Media } = await import('./media/s3/storage.ts')
  return openS3Media(bucket, log)
}

/** The station's memory, where the configuration says that it is. */
export async function openData(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  log: Logger,
): Promise<DataStore> {
  if (!database) return openJsonData(dataDir)
  const { openPostgresData } = await import('./data/postgres/store.ts')
  return openPostgresData(database.url, database.poolMax, log)
}
