import { stat } from 'node:fs/promises'
import { collectionNames, endAllSessions, filesOfRecords, listMedia, missingFiles } from '@solstice/station'
import type { BackupManifest } from '../../packages/adapters/src/backup/manifest.ts'
import { readBackup } from '../../packages/adapters/src/backup/read-backup.ts'
import { withSpooled } from '../../packages/adapters/src/backup/spooled.ts'
import { writeBackup } from '../../packages/adapters/src/backup/write-backup.ts'
import { openSpools } from '../../packages/adapters/src/data/spool.ts'
import { openData, openMedia } from '../../packages/adapters/src/stores.ts'
import {
  countIn,
  openMediaIfThere,
  openStationData,
  pathOf,
  placeOfData,
  placeOfMedia,
  readStation,
  silent,
} from './configuration.ts'
import { mayRun, refuseWhileRunning, stationNow } from './running.ts'
import { bytesOf, plural, Refusal, say, showProgress } from './terminal.ts'

/** Writes all of the station's data into one archive. */
export async function backUp(path: string, args: { media: boolean }, signal: AbortSignal): Promise<void> {
  const config = readStation()
  const target = pathOf(path)
  const isRunning = await mayRun(config)
  const data = await openStationData(config)
  const media = args.media ? await openMedia(config, silent) : null
  try {
    const spooled = await openSpools(config.dataDir).deliveries.all()
    const station = { data, media, isRunning, contents: withSpooled(data, spooled) }
    const files = media ? (await listMedia(media)).length : 0
    const progress = showProgress(collectionNames.length + files, 'written')
    const manifest = await writeBackup(target, station, signal, progress.step).finally(progress.end)
    say(`${target}: ${bytesOf((await stat(target)).size)}`)
    tellContents(manifest)
  } finally {
    await Promise.all([data.close(), media?.close()])
  }
}

/** Replaces all of the station's data with that of an archive. */
export async function restore(
  path: string,
  args: { replace: boolean; force: boolean; 'dry-run': boolean },
  signal: AbortSignal,
): Promise<void> {
  const config = readStation()
  const source = pathOf(path)
  if (!(await stat(source).catch(() => null))?.isFile()) throw new Refusal(`there is no file ${source}`)
  const backup = await readBackup(source, signal)
  say(`${source}: complete and undamaged, of ${backup.manifest.createdAt}`)
  tellContents(backup.manifest)
  say(`to ${placeOfData(config)}${backup.manifest.media ? ` and ${placeOfMedia(config)}` : ''}`)
  const counts = await countIn(config)
  if (!args.replace && Object.values(counts ?? {}).some((count) => count > 0))
    throw new Refusal(
      `there is something in ${placeOfData(config)} already; --replace puts this in its place`,
    )
  if (!args.force) await refuseWhileRunning(config, [config.dataDir])

  const media = backup.manifest.media && (await openMediaIfThere(config))
  try {
    if (media && !args.replace && (await listMedia(media)).length > 0)
      throw new Refusal(`there are files in ${placeOfMedia(config)} already; --replace overwrites them`)
  } finally {
    await media?.close()
  }
  signal.throwIfAborted()
  if (args['dry-run']) return say('dry run: nothing was changed')
  await put(config, backup, signal)
}

/** Logs all admins out. */
export async function endSessions(): Promise<void> {
  const config = readStation()
  const data = await openStationData(config)
  try {
    await endAllSessions(data, await stationNow(config))
    say('all admins have to log in again')
  } finally {
    await data.close()
  }
}

async function put(
  config: ReturnType<typeof readStation>,
  backup: Awaited<ReturnType<typeof readBackup>>,
  signal: AbortSignal,
): Promise<void> {
  const { collections, media: saved } = backup.manifest
  const [data, media] = [await openData(config, silent), await openMedia(config, silent)]
  try {
    if (saved && !config.bucket && !(await media.hasRoomFor(backup.mediaBytes)))
      throw new Refusal(`${bytesOf(backup.mediaBytes)} do not fit into ${placeOfMedia(config)}`)
    const steps = Object.keys(saved ?? {}).length + Object.keys(collections).length
    const progress = showProgress(steps, 'restored')
    await backup.restore({ data, media: saved && media }, signal, progress.step).finally(progress.end)
    await endAllSessions(data, await stationNow(config))
    say(`restored to ${placeOfData(config)}${saved ? ` and ${placeOfMedia(config)}` : ''}`)
    say('all admins have to log in again')
    const wanted = Object.values(await filesOfRecords(data)).flat()
    const missing = await missingFiles(media, wanted, new Set(await listMedia(media)))
    if (missing.length > 0)
      say(`${plural(missing.length, 'record has', 'records have')} no file in ${placeOfMedia(config)}`)
  } finally {
    await Promise.all([data.close(), media.close()])
  }
}

function tellContents({ collections, media, consistency }: BackupManifest): void {
  const records = Object.values(collections).reduce((sum, one) => sum + one.records, 0)
  say(`${plural(records, 'record')}, ${media ? plural(Object.keys(media).length, 'file') : 'without files'}`)
  if (consistency === 'each')
    say('the station was, or may have been, running: its collections may be from different moments')
}
