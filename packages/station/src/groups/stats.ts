import type { administration, Reply, Track } from '@solstice/contracts'
import type { TrackGroup } from '@solstice/playout'
import { memoizeLast } from '../core/memoize-last.ts'
import { libraryOf } from '../library/library.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import { groupedLibrary } from '../settings/groups.ts'

export type Stats = Reply<typeof administration.getStats>
type ByArtist = Stats['day']
type Tracks = readonly Readonly<Track>[]
type Groups = readonly TrackGroup<Readonly<Track>>[]

/** The library by mode and artist, and by the groups of the settings; counted once per change of either. */
export async function readStats(data: Pick<DataStore, 'tracks' | 'settings'>): Promise<Stats> {
  const [day, night, groups] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    groupedLibrary(data),
  ])
  return count(day, night, groups.day, groups.night)
}

const count = memoizeLast(
  (day: Tracks, night: Tracks, dayGroups: Groups, nightGroups: Groups): Stats => ({
    day: byArtist(day),
    night: byArtist(night),
    genres: byGroup(dayGroups),
    nightGenres: byGroup(nightGroups),
  }),
)

function byGroup(groups: Groups): Record<string, ByArtist> {
  return Object.fromEntries(groups.map(({ name, tracks }) => [name, byArtist(tracks)]))
}

function byArtist(tracks: Tracks): ByArtist {
  const artists = new Map<string, ByArtist[string]>()
  for (const { id: file, artist, title, album, year, duration } of tracks) {
    const listed = artists.get(artist) ?? []
    listed.push({ file, title, album, year, duration })
    artists.set(artist, listed)
  }
  // `fromEntries` makes every artist a field of its own, also one named like an inherited field.
  return Object.fromEntries(artists)
}
