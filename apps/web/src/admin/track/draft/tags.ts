import type { Track } from '@solstice/contracts'

/** The facts of a track that its tags tell. */
export type TagFacts = Pick<Track, 'title' | 'artist' | 'album' | 'year'>

/** Tags as they stand in the fields. */
export interface EditedTags {
  title: string
  artist: string
  album: string
  year: string
}

export type TagName = keyof EditedTags

export const toEditedTags = ({ title, artist, album, year }: TagFacts): EditedTags => ({
  title,
  artist,
  album,
  year: year === null ? '' : String(year),
})

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ')

/** As the station takes tags. */
export const toTags = ({ title, artist, album, year }: EditedTags): TagFacts => ({
  title: oneLine(title),
  artist: oneLine(artist),
  album: oneLine(album),
  year: year.trim() === '' ? null : Number(year),
})

export const areTagsAlike = (a: EditedTags, b: EditedTags): boolean =>
  JSON.stringify(toTags(a)) === JSON.stringify(toTags(b))

/** Why tags can't be saved, by field. */
export function tagProblems(tags: EditedTags): Partial<Record<TagName, 'missing' | 'notYear'>> {
  const { title, artist } = toTags(tags)
  const year = tags.year.trim()
  return {
    ...(!title && { title: 'missing' }),
    ...(!artist && { artist: 'missing' }),
    ...(year !== '' && !/^[1-9]\d{0,3}$/.test(year) && { year: 'notYear' }),
  }
}
