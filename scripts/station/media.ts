import { copyMedia, filesOfRecords, listMedia, type MediaStorage, missingFiles } from '@solstice/station'
import type { Config } from '../../packages/adapters/src/config/config.ts'
import { openMedia } from '../../packages/adapters/src/stores.ts'
import {
  openMediaIfThere,
  openStationData,
  pathOf,
  placeOfMedia,
  readPlace,
  readStation,
  silent,
} from './configuration.ts'
import { bytesOf, plural, Refusal, reasonOf, say, showProgress, UsageError } from './terminal.ts'

const SHOWN = 20

/** Settings of a bucket, as arguments. */
const bucketOptions = {
  's3-endpoint': 'S3_ENDPOINT',
  's3-bucket': 'S3_BUCKET',
  's3-access-key-id': 'S3_ACCESS_KEY_ID',
  's3-secret-access-key': 'S3_SECRET_ACCESS_KEY',
  's3-region': 'S3_REGION',
  's3-force-path-style': 'S3_FORCE_PATH_STYLE',
  's3-arts-prefix': 'S3_ARTS_PREFIX',
} as const

/** Copies all of the station's files to its other kind of storage. */
export async function copyFiles(
  args: {
    from?: string | undefined
    to?: string | undefined
    'media-dir'?: string | undefined
    'env-file'?: string | undefined
    parallel: string
    'dry-run': boolean
  } & { [name in keyof typeof bucketOptions]?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { from, to, 'dry-run': isDryRun } = args
  for (const [name, kind] of Object.entries({ from, to }))
    if (kind !== 'local' && kind !== 'cloud') throw new UsageError(`--${name} must be local or cloud`)
  if (from === to) throw new UsageError('--from and --to are the same')
  const parallel = Number(args.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 32)
    throw new UsageError('--parallel must be 1 to 32')
  const station = readStation()
  const given = Object.entries(bucketOptions).map(([option, name]) => [
    name,
    args[option as keyof typeof bucketOptions],
  ])
  const cloud = await readPlace({ MEDIA_STORAGE: 'cloud', ...Object.fromEntries(given) }, args['env-file'])
  const mediaDir = args['media-dir'] === undefined ? station.mediaDir : pathOf(args['media-dir'])
  const local = { bucket: null, mediaDir }
  const [source, target] = from === 'local' ? [local, cloud] : [cloud, local]
  say(`from ${placeOfMedia(source)}`)
  say(`to   ${placeOfMedia(target)}`)
  const one = await openMediaIfThere(source)
  if (!one) throw new Refusal(`there is no folder ${mediaDir}`)
  const other = isDryRun ? await openMediaIfThere(target) : await openMedia(target, silent)
  try {
    const keys = await listMedia(one)
    if (keys.length === 0) throw new Refusal(`there are no files in ${placeOfMedia(source)}`)
    const progress = showProgress(keys.length, 'files')
    const onFile = (key: string, isCopied: boolean) => {
      if (isDryRun && isCopied) say(key)
      else progress.step()
    }
    const result = await copyMedia(one, other, keys, { parallel, isDryRun, signal, onFile }).finally(
      progress.end,
    )
    const { copied, kept, bytes, failed } = result
    say(
      `${plural(copied, 'file')} (${bytesOf(bytes)}) ${isDryRun ? 'to be copied' : 'copied'}, ${kept} there already`,
    )
    for (const { key, why } of failed.slice(0, SHOWN)) say(`not copied: ${key} (${reasonOf(why)})`)
    if (isDryRun) say('dry run: nothing was changed')
    if (failed.length > 0) throw new Refusal(`${plural(failed.length, 'file')} could not be copied`)
    if (other && !isDryRun) await checkRecords(station, other)
  } finally {
    await Promise.all([one.close(), other?.close()])
  }
  if (!isDryRun) say(`to use it: MEDIA_STORAGE=${to}`)
}

/** Every record's file must exist. */
async function checkRecords(station: Config, media: MediaStorage): Promise<void> {
  const data = await openStationData(station).catch((error: Error) => {
    say(`no records to compare with: ${reasonOf(error)}`)
    return null
  })
  if (!data) return
  try {
    const wanted = Object.values(await filesOfRecords(data)).flat()
    const missing = await missingFiles(media, wanted, new Set(await listMedia(media)))
    for (const key of missing.slice(0, SHOWN)) say(`not there: ${key}`)
    if (missing.length > 0)
      throw new Refusal(`${plural(missing.length, 'record has', 'records have')} no file there`)
    say(`${plural(wanted.length, 'record')}: every file is there`)
  } finally {
    await data.close()
  }
}
