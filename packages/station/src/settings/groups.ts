import type { Mode, SettingsBounds, Track } from '@solstice/contracts'
import { type GroupDefs, groupInPieces, type TrackGroup } from '@solstice/playout'
import { memoizeLast } from '../core/memoize-last.ts'
import { withBreaks } from '../core/turns/breaks.ts'
import { libraryOf } from '../library/library.ts'
import type { DataStore, SettingsRecord } from '../ports/data/data-store.ts'
import { boundsOf } from './bounds.ts'
import { generationFields } from './fields.ts'
import { mergeSection } from './read.ts'
import { readSettings, settingsIn } from './settings.ts'

/** The library by the groups of the stored settings; grouped once per change of either. */
export async function groupedLibrary(
  data: Pick<DataStore, 'tracks' | 'settings'>,
): Promise<Record<Mode, Groups>> {
  const [day, night, settings] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    data.settings.find(),
  ])
  return grouped(day, night, settings)
}

type Tracks = readonly Readonly<Track>[]
type Groups = readonly TrackGroup<Readonly<Track>>[]
const grouped = memoizeLast(
  async (day: Tracks, night: Tracks, settings: readonly Readonly<SettingsRecord>[]) => {
    const { generation } = settingsIn(settings)
    return {
      day: await groupsIn(day, generation[generationFields.day.groups]),
      night: await groupsIn(night, generation[generationFields.night.groups]),
    }
  },
)

const groupsIn = (tracks: Tracks, defs: GroupDefs): Promise<Groups> => withBreaks(groupInPieces(tracks, defs))

/** The bounds that the library sets for the settings. */
export async function settingsBounds(data: Pick<DataStore, 'tracks' | 'settings'>): Promise<SettingsBounds> {
  const [day, night, groups] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    groupedLibrary(data),
  ])
  return bounds(day, night, groups.day, groups.night)
}

const bounds = memoizeLast((day: Tracks, night: Tracks, dayGroups: Groups, nightGroups: Groups) =>
  boundsOf({ day, night }, { day: dayGroups, night: nightGroups }),
)

/**
 * The bounds that the library would set for unsaved settings of playlists; for each mode the artists that none of their
 * groups names, and how many tracks every artist brings to its group.
 *
 * @throws Failure BAD_REQUEST for a field of another type.
 */
export async function previewBounds(
  data: Pick<DataStore, 'tracks' | 'settings'>,
  sent: Record<string, unknown>,
): Promise<{
  bounds: SettingsBounds
  unassigned: Record<Mode, string[]>
  artistSongs: Record<Mode, Record<string, number>>
}> {
  const [day, night, { generation: stored }] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    readSettings(data),
  ])
  const generation = mergeSection('generation', stored, sent)
  const library = { day, night }
  const groupsOf = (mode: Mode) => groupsIn(library[mode], generation[generationFields[mode].groups])
  const artistsOf = (mode: Mode) => countArtists(library[mode], generation[generationFields[mode].groups])
  const artists = { day: await artistsOf('day'), night: await artistsOf('night') }
  return {
    bounds: boundsOf(library, { day: await groupsOf('day'), night: await groupsOf('night') }),
    unassigned: { day: artists.day.unassigned, night: artists.night.unassigned },
    artistSongs: { day: artists.day.songs, night: artists.night.songs },
  }
}

/**
 * The tracks that each artist brings to a group, so that those of a group add up to its own; and the artists that only the
 * last group's being last brings into a group, in the order of the library.
 */
async function countArtists(
  tracks: Tracks,
  groups: GroupDefs,
): Promise<{ songs: Record<string, number>; unassigned: string[] }> {
  const named = Object.values(groups).flat()
  // A group for each artist, in the same order; the last one takes the tracks of all others. Names that look like numbers
  // would come first.
  const alone = Object.fromEntries(named.map((artist, i) => [`artist ${i}`, [artist]]))
  const byArtist = await groupsIn(tracks, { ...alone, others: [] })
  const songs = new Map<string, number>()
  for (const [i, artist] of named.entries())
    if (!songs.has(artist)) songs.set(artist, byArtist[i]!.tracks.length)
  const unassigned = new Map<string, number>()
  for (const { artist } of byArtist.at(-1)!.tracks) unassigned.set(artist, (unassigned.get(artist) ?? 0) + 1)
  return { songs: Object.fromEntries([...unassigned, ...songs]), unassigned: [...unassigned.keys()] }
}
