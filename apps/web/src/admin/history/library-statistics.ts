import type { Mode } from '@solstice/contracts'
import type { ReplyOf } from '../data/routes.ts'

type Stats = ReplyOf<'GET /api/admin/stats'>
type ByArtist = Stats['day']

/** Properties by which tracks are counted. */
export const views = ['day', 'night', 'groups', 'years'] as const
export type View = (typeof views)[number]

/** A track of the library as statistics and their exports see it. */
export interface CountedTrack {
  file: string
  artist: string
  title: string
  album: string
  year: number | null
  /** Seconds; null when unknown. */
  duration: number | null
  mode: Mode
  /** Groups it belongs to, '' = none. */
  group: string
}

/** A line of the statistics: an artist, a group or a year, and its tracks. */
export interface Count {
  id: string
  /** '' = no year is known. */
  name: string
  /** Only groups have one: both modes have their own. */
  mode: Mode | null
  tracks: readonly CountedTrack[]
  /** Of all tracks in the view, 0 to 1. */
  share: number
}

/** All tracks, each once, artists from A to Z. */
export function tracksOf({ day, night, genres, nightGenres }: Stats): CountedTrack[] {
  return [...listed(day, 'day', groupsOf(genres)), ...listed(night, 'night', groupsOf(nightGenres))]
}

function listed(byArtist: ByArtist, mode: Mode, groups: Map<string, string>): CountedTrack[] {
  return Object.entries(byArtist).flatMap(([artist, tracks]) =>
    tracks.map((track) => ({ ...track, artist, mode, group: groups.get(track.file) ?? '' })),
  )
}

/** The group of each track, by its file. */
function groupsOf(genres: Stats['genres']): Map<string, string> {
  const found = new Map<string, string>()
  for (const [group, byArtist] of Object.entries(genres))
    for (const { file } of Object.values(byArtist).flat()) found.set(file, group)
  return found
}

export function countTracks(all: readonly CountedTrack[], view: View): Count[] {
  const counted = new Map<string, { name: string; mode: Mode | null; tracks: CountedTrack[] }>()
  let total = 0
  for (const track of all) {
    const line = lineOf(track, view)
    if (!line) continue
    const id = `${line.mode ?? ''}/${line.name}`
    const known = counted.get(id) ?? { ...line, tracks: [] }
    known.tracks.push(track)
    counted.set(id, known)
    total++
  }
  return [...counted].map(([id, line]) => ({ id, ...line, share: line.tracks.length / total }))
}

/** The line that a track belongs to; null = it has none in this view. */
function lineOf(track: CountedTrack, view: View): { name: string; mode: Mode | null } | null {
  if (view === 'years') return { name: track.year ? String(track.year) : '', mode: null }
  if (view === 'groups') return track.group ? { name: track.group, mode: track.mode } : null
  return track.mode === view ? { name: track.artist, mode: null } : null
}

export const totalSeconds = (tracks: readonly CountedTrack[]): number =>
  tracks.reduce((sum, { duration }) => sum + (duration ?? 0), 0)

/** The lines whose name, or one of whose tracks, has every word of the query. */
export function findCounts(counts: readonly Count[], query: string): readonly Count[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (!words.length) return counts
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  return counts.filter(
    ({ name, tracks }) =>
      has(name) || tracks.some(({ artist, title, album }) => has(`${artist} ${title} ${album}`)),
  )
}
