import { type StoredList, storedList } from './stored-list.ts'

/** A track by its id, with its names at the time it was kept. */
export interface KeptTrack {
  id: string
  title: string
  artist: string
}

const MAX_FAVOURITES = 500

export function isKeptTrack(value: unknown): value is KeptTrack {
  const { id, title, artist } = (value ?? {}) as Record<string, unknown>
  return [id, title, artist].every((text) => typeof text === 'string') && id !== ''
}

/** Latest first; this device only. */
export const favourites: StoredList<KeptTrack> = storedList('radio_favourites', isKeptTrack, MAX_FAVOURITES)

export const isFavourite = (list: readonly KeptTrack[], trackId: string): boolean =>
  list.some(({ id }) => id === trackId)

/** The list with the track first or, if it was there, without it. */
export const toggled = (
  list: readonly KeptTrack[],
  { id, title, artist }: KeptTrack,
): readonly KeptTrack[] =>
  isFavourite(list, id) ? list.filter((other) => other.id !== id) : [{ id, title, artist }, ...list]

/** One track a line, artist first, as other programs import it. */
export const asText = (list: readonly KeptTrack[]): string =>
  list.map(({ title, artist }) => `${[artist, title].filter(Boolean).join(' — ')}\n`).join('')
