import { artistKey } from './keys.ts'
import type { DataStore } from './ports/data-store.ts'
import type { MediaKey, MediaStorage } from './ports/media-storage.ts'

const FOLDER = 'arts'

/** Where the image of an artist is, whatever the case and the spaces of the name; null when there is none. */
export async function findArt(data: DataStore, artist: string): Promise<MediaKey | null> {
  const record = await data.artists.get(artistKey(artist))
  return record?.hasArt ? `${FOLDER}/${record.artFileName}` : null
}

/** An artist who is heard by day has a record, with or without an image. */
export async function ensureArtist(data: DataStore, artist: string): Promise<void> {
  await data.artists.insert({ artist: artistKey(artist), hasArt: false, artFileName: '' })
}

/**
 * Artist records, images and day tracks agree again: an image belongs to its artist, artists of day tracks have a record,
 * and a record with neither image nor day track goes.
 */
export async function reconcileArtists(data: DataStore, media: MediaStorage): Promise<void> {
  await media.sweep(FOLDER)
  await Promise.all((await media.list(FOLDER)).map((key) => registerImage(data, key)))

  const dayTracks = await data.tracks.find({ mode: 'day' })
  const wanted = new Map(dayTracks.map(({ artist }) => [artistKey(artist), artist]))
  const known = new Set((await data.artists.find()).map((record) => record.artist))
  const missing = [...wanted].filter(([key]) => !known.has(key))
  await Promise.all(missing.map(([, artist]) => ensureArtist(data, artist)))
  await data.artists.delete((record) => !record.hasArt && !wanted.has(record.artist))
}

async function registerImage(data: DataStore, key: MediaKey): Promise<void> {
  const artFileName = key.slice(FOLDER.length + 1)
  if (!/.\.jpg$/i.test(artFileName)) return
  const artist = artistKey(artFileName.slice(0, -'.jpg'.length).normalize('NFC'))
  const record = await data.artists.get(artist)
  if (record?.hasArt) return
  const inserted = await data.artists.insert({ artist, hasArt: true, artFileName })
  if (!inserted) await data.artists.update({ artist, hasArt: false }, { hasArt: true, artFileName })
}
