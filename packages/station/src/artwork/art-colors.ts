import type { ArtistRecord, DataStore } from '../ports/data/data-store.ts'
import type { MediaStorage } from '../ports/media/media-storage.ts'
import type { Pictures } from '../ports/media/pictures.ts'

const MAX_IMAGE_BYTES = 10 * 1024 * 1024

/** The artists whose image was not looked at since it was stored. */
export async function artistsWithoutColor(
  data: Pick<DataStore, 'artists'>,
): Promise<Readonly<ArtistRecord>[]> {
  return (await data.artists.find({ hasArt: true })).filter(
    ({ color }) => color === undefined || color === '',
  )
}

/** Finds the colour of an artist's image and notes it, unless the image was replaced meanwhile. */
export async function readArtColor(
  deps: { data: Pick<DataStore, 'artists'>; media: MediaStorage; pictures: Pictures },
  { artist, artFileName }: Readonly<ArtistRecord>,
): Promise<void> {
  const { data, media, pictures } = deps
  const key = `arts/${artFileName}`
  const before = await media.stat(key)
  if (!before) return
  const isLarge = before.size > MAX_IMAGE_BYTES
  const image = isLarge ? Buffer.alloc(0) : Buffer.concat(await (await media.open(key)).toArray())
  const color = (await pictures.show(image, []))?.color ?? null
  const after = await media.stat(key)
  if (after?.size !== before.size || after.modifiedMs !== before.modifiedMs) return
  await data.artists.update({ artist, artFileName, hasArt: true }, { color })
}
