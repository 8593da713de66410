import { createHash } from 'node:crypto'
import { type Cover, coverSizes } from '@solstice/contracts'
import type { CoverRecord, DataStore, TrackRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { AudioTags } from '../ports/media/audio.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import type { Pictures } from '../ports/media/pictures.ts'

export const COVER_FOLDER = 'covers'
const ID_LENGTH = 32

type CoverData = Pick<DataStore, 'covers' | 'trackCovers'>

/** The cover of a track; null when it has none, or was not looked at yet. */
export async function findCover(data: CoverData, trackId: string): Promise<Cover | null> {
  const coverId = (await data.trackCovers.get(trackId))?.coverId
  const cover = coverId ? await data.covers.get(coverId) : null
  return cover && { id: cover.id, color: cover.color }
}

/** The ids of the covers of tracks, in the same order; null for a track that has none, or was not looked at yet. */
export async function coverIdsOf(
  data: Pick<DataStore, 'trackCovers'>,
  trackIds: readonly string[],
): Promise<(string | null)[]> {
  const known = await Promise.all(trackIds.map((id) => data.trackCovers.get(id)))
  return known.map((one) => one?.coverId ?? null)
}

/** The file of a cover in this size, or in the largest that there is; null when there is no such cover. */
export async function findCoverFile(
  data: Pick<DataStore, 'covers'>,
  id: string,
  size: number,
): Promise<MediaKey | null> {
  const sizes = (await data.covers.get(id))?.sizes ?? []
  const stored = sizes.findLast((one) => one <= size)
  return stored === undefined ? null : coverKey(id, stored)
}

/** All files of a cover. */
export const coverFiles = ({ id, sizes }: Pick<CoverRecord, 'id' | 'sizes'>): MediaKey[] =>
  sizes.map((size) => coverKey(id, size))

const coverKey = (id: string, size: number): MediaKey => `${COVER_FOLDER}/${id}.${size}.webp`

/** Has a job look at pictures that were not looked at yet, and delete covers that no track has. */
export function schedulePictures({ jobs, log }: { jobs: Pick<JobQueue, 'add'>; log: Log }): void {
  jobs.add('read-pictures', {}, { id: 'read-pictures', requeueIfActive: true }).catch((error) => {
    log.warn({ err: error }, 'pictures not scheduled: new ones are read at the next start')
  })
}

/**
 * Reads the cover in a track's file and stores it, unless another track has the same. A picture that cannot be read is none.
 *
 * @returns the id of the cover, or null without one; 'gone' when the file is gone, or was replaced meanwhile.
 * @throws when the file cannot be read, or the cover not be stored.
 */
export async function readCover(
  deps: { data: CoverData; media: MediaStorage; tags: Pick<AudioTags, 'readCover'>; pictures: Pictures },
  { id: trackId, storageKey }: Pick<TrackRecord, 'id' | 'storageKey'>,
): Promise<string | null | 'gone'> {
  const { data, media, tags } = deps
  const before = await media.stat(storageKey)
  if (!before) return 'gone'
  const picture = await tags.readCover(await media.source(storageKey))
  const coverId = picture && (await storeCover(deps, picture))
  const after = await media.stat(storageKey)
  if (after?.size !== before.size || after.modifiedMs !== before.modifiedMs) return 'gone'
  await data.trackCovers.put({ trackId, ...after, coverId })
  return coverId
}

/** Images first: a record never points at one that is missing. @returns the id; null when it is no picture. */
async function storeCover(
  { data, media, pictures }: Pick<Parameters<typeof readCover>[0], 'data' | 'media' | 'pictures'>,
  picture: Uint8Array,
): Promise<string | null> {
  const id = createHash('sha256').update(picture).digest('hex').slice(0, ID_LENGTH)
  if (await data.covers.get(id)) return id
  const shown = await pictures.show(picture, coverSizes)
  if (!shown) return null
  for (const { size, bytes } of shown.squares) await media.put(coverKey(id, size), bytes)
  await data.covers.put({ id, color: shown.color, sizes: shown.squares.map(({ size }) => size) })
  return id
}

/** Moves what is known of a track's cover to its new id. Idempotent. */
export async function moveTrackCover(
  data: Pick<DataStore, 'trackCovers'>,
  from: string,
  to: string,
): Promise<void> {
  const known = await data.trackCovers.get(from)
  if (known) await data.trackCovers.put({ ...known, trackId: to })
  await data.trackCovers.delete({ trackId: from })
}

/** Forgets the covers of tracks that are gone. Their images stay until `deleteUnusedCovers`. */
export async function deleteTrackCovers(
  data: Pick<DataStore, 'trackCovers'>,
  isGone: (trackId: string) => boolean,
): Promise<void> {
  await data.trackCovers.delete(({ trackId }) => isGone(trackId))
}

/**
 * Deletes the covers that no track has. Not safe beside `readCover`, so one job does both.
 *
 * @returns how many.
 */
export async function deleteUnusedCovers(data: CoverData, media: MediaStorage): Promise<number> {
  const used = new Set((await data.trackCovers.find()).map(({ coverId }) => coverId))
  const unused = (await data.covers.find()).filter(({ id }) => !used.has(id))
  for (const cover of unused) {
    for (const key of coverFiles(cover)) await media.delete(key)
    await data.covers.delete({ id: cover.id })
  }
  return unused.length
}
