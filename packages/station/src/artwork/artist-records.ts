import type { RemovedArtist } from '@solstice/contracts'
import { artistKey } from '../core/keys.ts'
import type { ArtistRecord, DataStore } from '../ports/data/data-store.ts'
import type { MediaStorage } from '../ports/media/media-storage.ts'
import { ensureArtist } from './artwork.ts'

/**
 * Records of these artists that no day track needs.
 *
 * @param withArt whether records with an image are included.
 */
export async function unusedArtists(
  data: Pick<DataStore, 'artists' | 'tracks'>,
  artists: readonly string[],
  withArt: boolean,
): Promise<ArtistRecord[]> {
  const needed = await artistsOfDay(data)
  const keys = [...new Set(artists.map(artistKey))].filter((key) => !needed.has(key))
  const records = await Promise.all(keys.map((key) => data.artists.get(key)))
  return records.flatMap((record) => (record && (withArt || !record.hasArt) ? { ...record } : []))
}

/** Removes artist records with their images. Repeated after a crash it finishes the rest. */
export async function removeArtists(
  data: DataStore,
  media: MediaStorage,
  records: readonly ArtistRecord[],
): Promise<RemovedArtist[]> {
  if (records.length === 0) return []
  const going = new Map(records.map((record) => [record.artist, record]))
  await data.artists.delete((record) => going.get(record.artist)?.artFileName === record.artFileName)
  for (const { artist, artFileName } of records) {
    // A new image may have been uploaded meanwhile under the same name.
    if (artFileName && !(await data.artists.get(artist))?.hasArt) await media.delete(`arts/${artFileName}`)
  }
  // A day track may have been added while its artist was removed.
  const needed = await artistsOfDay(data)
  await Promise.all(
    records.filter(({ artist }) => needed.has(artist)).map(({ artist }) => ensureArtist(data, artist)),
  )
  return records.map(({ artist, hasArt }) => ({ artist, hasArt }))
}

async function artistsOfDay(data: Pick<DataStore, 'tracks'>): Promise<Set<string>> {
  return new Set((await data.tracks.find({ mode: 'day' })).map(({ artist }) => artistKey(artist)))
}
