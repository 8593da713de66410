import { readdir, readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import {
  type CollectionName,
  collectionNames,
  countRecords,
  type DataStore,
  type MediaStorage,
} from '@solstice/station'
import { pino } from 'pino'
// Files rather than the package: a command loads only what it needs.
import { type Config, ConfigError, readConfig } from '../../packages/adapters/src/config/config.ts'
import { shownServers } from '../../packages/adapters/src/config/servers/addresses.ts'
import { openData, openMedia } from '../../packages/adapters/src/stores.ts'
import { Refusal, UsageError } from './terminal.ts'

/** Location of the data. */
export type Place = Pick<Config, 'database' | 'dataDir'>

/** Nothing is signed here, so no secrets are needed. */
const unneeded = { JWT_SECRET: 'nothing is signed by the command line' }

/** Drops the logs: adapters report problems in their errors. */
export const silent = pino({ level: 'silent' })

/** The station's configuration from the environment and `.env`. @throws {ConfigError} */
export function readStation(): Config {
  const { config, warnings } = readConfig({ ...process.env, ...unneeded })
  // An operator who meant another place must learn that it is not used.
  for (const warning of warnings)
    if (/^(DATA_PROVIDER|MEDIA_STORAGE|MUSIC_SOURCE):/.test(warning)) process.stderr.write(`${warning}\n`)
  return config
}

/**
 * A place described by arguments and a file they name; the environment is ignored.
 *
 * @param args by variable name; those that are undefined are read from the file.
 * @throws UsageError when something is missing.
 */
export async function readPlace(
  args: Record<string, string | undefined>,
  envFile: string | undefined,
): Promise<Config> {
  const text = envFile === undefined ? '' : await readText(envFile)
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
  try {
    return readConfig({ ...parseEnv(text), ...given, ...unneeded }).config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new UsageError(`as arguments, or in the file of --env-file: ${error.problems.join('; ')}`)
  }
}

/** Resolves a path where the operator typed it: npm starts scripts in the project folder. */
export function pathOf(given: string): string {
  return isAbsolute(given) ? given : resolve(process.env.INIT_CWD ?? process.cwd(), given)
}

/** True when a folder holds a station's data. */
async function holdsData(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return collectionNames.some((name) => names.includes(`${name}.json`))
}

/** Record counts of a place's collections; null when it was never used. Creates and changes nothing. */
export async function countIn(place: Place): Promise<Partial<Record<CollectionName, number>> | null> {
  if (place.database) {
    // Only database users need all this.
    const { countPostgresRecords } = await import(
      '../../packages/adapters/src/data/postgres/count-records.ts'
    )
    return countPostgresRecords(place.database.url)
  }
  const data = (await holdsData(place.dataDir)) ? await openData(place, silent) : null
  return data && countRecords(data).finally(() => data.close())
}

/** The data store of a station; null when it was never used. */
export async function openIfThere(place: Place): Promise<DataStore | null> {
  const isThere = place.database ? (await countIn(place)) !== null : await holdsData(place.dataDir)
  return isThere ? openData(place, silent) : null
}

/** @throws Refusal when the store was never used. */
export async function openStationData(place: Place): Promise<DataStore> {
  const data = await openIfThere(place)
  if (!data) throw new Refusal(`no station data found: ${placeOfData(place)}`)
  return data
}

/** The files of a station; null when they have no folder. Creates none. */
export async function openMediaIfThere(
  place: Pick<Config, 'bucket' | 'mediaDir'>,
): Promise<MediaStorage | null> {
  const isThere = place.bucket !== null || (await stat(place.mediaDir).catch(() => null)) !== null
  return isThere ? openMedia(place, silent) : null
}

/** Location of a station's data, without credentials. */
export function placeOfData({ database, dataDir }: Place): string {
  if (!database) return `json in ${dataDir}`
  return `sql at ${shownServers(database.url)}`
}

export function placeOfMedia({ bucket, mediaDir }: Pick<Config, 'bucket' | 'mediaDir'>): string {
  return bucket ? `cloud: ${bucket.bucket} at ${new URL(bucket.endpoint).host}` : `local in ${mediaDir}`
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(pathOf(path), 'utf8')
  } catch (error) {
    throw new Refusal(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
