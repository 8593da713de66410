import type { RotationSettings } from '../model/commands/commands.ts'
import { finish, PIECE, type Pieces } from '../model/pieces.ts'
import { shuffle } from '../model/random.ts'
import { durationOf, sameArtist, type TrackRef } from '../model/state.ts'
import { groupInPieces, groupTracks } from './groups.ts'
import { type Grouped, groupSections, type Round, sections } from './sections.ts'

/** Ten upcoming entries and the one on air: a smaller library is played in several rounds (rule G3). */
export const MIN_PLAYLIST_LENGTH = 11
/** A short library is played whole, whatever the limit (rule G1). */
const SHORT_LIBRARY_MS = 3_600_000

export interface GeneratedPlaylist {
  tracks: TrackRef[]
  /** The library was too small for one round. */
  repeats: boolean
  seed: number
}

/**
 * Makes a playlist of a library (rules G1–G8).
 *
 * @param after the track before the playlist, so that the rules hold across the border.
 */
export function generatePlaylist(
  library: readonly TrackRef[],
  settings: RotationSettings,
  seed: number,
  after: TrackRef | null,
): GeneratedPlaylist {
  return finish(playlistInPieces(library, settings, seed, after))
}

/** … with interruptions. */
export function* playlistInPieces(
  library: readonly TrackRef[],
  settings: RotationSettings,
  seed: number,
  after: TrackRef | null,
): Pieces<GeneratedPlaylist> {
  const makeRound = yield* roundOf(library, settings)
  const tracks: TrackRef[] = []
  let rounds = 0
  while (library.length > 0 && tracks.length < MIN_PLAYLIST_LENGTH) {
    const made = yield* makeRound(seed, tracks.at(-1) ?? after)
    seed = made.seed
    for (const track of made.tracks) tracks.push(track)
    rounds++
    if (tracks.length === 0) break
  }
  return { tracks, repeats: rounds > 1, seed }
}

/** Rule G8: makes the function for one round; where groups give nothing, the round is made without them. */
function* roundOf(
  library: readonly TrackRef[],
  settings: RotationSettings,
): Pieces<(seed: number, after: TrackRef | null) => Pieces<Round>> {
  const limitMs = longestMs(library, settings)
  const withoutGroups = (seed: number, after: TrackRef | null) => simple(library, limitMs, seed, after)
  if (settings.algorithm === 'simple') return withoutGroups
  const groups = (yield* groupInPieces(library, settings.groups)).filter(({ tracks }) => tracks.length > 0)
  if (groups.length < 2) return withoutGroups

  const before = (after: TrackRef | null): Grouped | null => {
    const [group] = after
      ? groupTracks([after], settings.groups).filter(({ tracks }) => tracks.length > 0)
      : []
    return after && group ? { track: after, group: group.name } : null
  }
  return function* (seed, after) {
    const made =
      settings.algorithm === 'sections'
        ? yield* sections(groups, settings.songsPerSection, limitMs, seed, before(after))
        : yield* groupSections(groups, limitMs, seed, before(after))
    return made.tracks.length > 0 ? made : yield* withoutGroups(made.seed, after)
  }
}

/** Rule G1: longest duration of one round, ms. */
function longestMs(library: readonly TrackRef[], { useAll, maxDurationMs }: RotationSettings): number {
  const libraryMs = library.reduce((sum, track) => sum + durationOf(track), 0)
  return useAll || libraryMs <= SHORT_LIBRARY_MS ? Number.POSITIVE_INFINITY : maxDurationMs
}

/** Rule G2: first the tracks of a shuffled library that suit their neighbour, then the others that still fit. */
function* simple(
  library: readonly TrackRef[],
  limitMs: number,
  seed: number,
  after: TrackRef | null,
): Pieces<Round> {
  const shuffled = shuffle(library, seed)
  const taken: TrackRef[] = []
  const skipped: TrackRef[] = []
  let lengthMs = 0
  const fits = (track: TrackRef) => taken.length === 0 || lengthMs + durationOf(track) <= limitMs
  const take = (track: TrackRef) => {
    taken.push(track)
    lengthMs += durationOf(track)
  }

  yield
  let looked = 0
  for (const track of shuffled.items) {
    if (++looked % PIECE === 0) yield
    const before = taken.at(-1) ?? after
    if (fits(track) && !(before && sameArtist(before, track))) take(track)
    else skipped.push(track)
  }
  for (const track of skipped) if (fits(track)) take(track)

  if (taken.length > 1 && taken[0]!.id === after?.id) taken.push(taken.shift()!)
  return { tracks: taken, seed: shuffled.seed }
}
