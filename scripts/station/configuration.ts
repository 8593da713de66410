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
// The files and not the package: a command loads only what it needs.
import { type Config, ConfigError, readConfig } from '../../packages/adapters/src/config/config.ts'
import { openData, openMedia } from '../../packages/adapters/src/stores.ts'
import { Refusal, UsageError } from './terminal.ts'

/** Where data is. */
export type Place = Pick<Config, 'database' | 'dataDir'>

/** Nothing is signed here, so nothing is needed for it. */
const unneeded = { JWT_SECRET: 'nothing is signed by the command line' }

/** Adapters say in their errors what is wrong. */
export const silent = pino({ level: 'silent' })

/** What the environment, with `.env`, says of the station. @throws {ConfigError} */
export function readStation(): Config {
  const { config, warnings } = readConfig({ ...process.env, ...unneeded })
  // Whoever means another place has to see that it is not taken.
  for (const warning of warnings)
    if (/^(DATA_PROVIDER|MEDIA_STORAGE|MUSIC_SOURCE):/.test(warning)) process.stderr.write(`${warning}\n`)
  return config
}

/**
 * What arguments, and a file that they name, say of a place; the environment says nothing.
 *
 * @param args by the names of the variables; those that are undefined are taken from the file.
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

/** Where the operator meant a path to begin: npm starts scripts in the folder of the project. */
export function pathOf(given: string): string {
  return isAbsolute(given) ? given : resolve(process.env.INIT_CWD ?? process.cwd(), given)
}

/** Whether a folder holds data of a station. */
async function holdsData(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return collectionNames.some((name) => names.includes(`${name}.json`))
}

/** How many records the collections of a place have; null when nothing was ever there. Makes and changes nothing. */
export async function countIn(place: Place): Promise<Partial<Record<CollectionName, number>> | null> {
  if (place.database) {
    // Only who has a database needs all this.
    const { countPostgresRecords } = await import(
      '../../packages/adapters/src/data/postgres/count-records.ts'
    )
    return countPostgresRecords(place.database.url)
  }
  const data = (await holdsData(place.dataDir)) ? await openData(place, silent) : null
  return data && countRecords(data).finally(() => data.close())
}

/** The memory of a station; null when nothing was ever there. */
export async function openIfThere(place: Place): Promise<DataStore | null> {
  const isThere = place.database ? (await countIn(place)) !== null : await holdsData(place.dataDir)
  return isThere ? openData(place, silent) : null
}

/** @throws Refusal when nothing was ever there. */
export async function openStationData(place: Place): Promise<DataStore> {
  const data = await openIfThere(place)
  if (!data) throw new Refusal(`there is no data of a station: ${placeOfData(place)}`)
  return data
}

/** The files of a station; null when there is no folder for them. Makes none. */
export async function openMediaIfThere(
  place: Pick<Config, 'bucket' | 'mediaDir'>,
): Promise<MediaStorage | null> {
  const isThere = place.bucket !== null || (await stat(place.mediaDir).catch(() => null)) !== null
  return isThere ? openMedia(place, silent) : null
}

/** Where the data of a station is, without what gives access to it. */
export function placeOfData({ database, dataDir }: Place): string {
  if (!database) return `json in ${dataDir}`
  const { host, pathname } = new URL(database.url)
  return `sql at ${host}${pathname}`
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
