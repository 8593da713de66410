import type { Mode } from '@solstice/contracts'
import { start } from '../boundary/boundary.ts'
import type { FactOf } from '../model/commands/commands.ts'
import { noteMadeOf } from '../model/cue-point-changes.ts'
import { finish, type Pieces } from '../model/pieces.ts'
import { entriesInPieces, type MadePlaylist } from '../model/playlists.ts'
import type { Playlist, PlayoutState, TrackRef } from '../model/state.ts'
import { type Step, unchanged } from '../model/steps.ts'
import { ordersOf } from '../model/track-places.ts'
import { playable } from '../queue/queue.ts'
import { MIN_PLAYLIST_LENGTH, playlistInPieces } from '../rotation/playlist.ts'

/** Prepares the playlist of a mode, and begins it if the air was waiting for it (rule L3). */
export function learnLibrary(state: PlayoutState, fact: FactOf<'library'>, nowMs: number): Step {
  const { made } = fact
  if (made && isWanted(state, fact.mode) && isCurrent(made, state, fact))
    return takeIn(state, fact, made, nowMs)
  return finish(learnInPieces(state, fact, nowMs))
}

/** … with interruptions. */
export function* learnInPieces(state: PlayoutState, fact: FactOf<'library'>, nowMs: number): Pieces<Step> {
  if (!isWanted(state, fact.mode)) return unchanged(state)
  return takeIn(state, fact, yield* makePlaylist(state, fact), nowMs)
}

/** Makes the playlist of a `library` fact for a state, which is not changed by it. */
export function* makePlaylist(state: PlayoutState, fact: FactOf<'library'>): Pieces<MadePlaylist> {
  const { seed, serial, unplayable, withheld } = state
  const after = trackBefore(state, fact)
  const library = playable(state, fact.tracks)
  yield
  const generated = yield* playlistInPieces(library, fact.settings, seed, after)
  yield
  const made = yield* entriesInPieces(serial, generated.tracks)
  noteMadeOf(fact.tracks, made.entries)
  // Where only the limit is short, the library has more tracks than the repeated ones.
  const repeats = generated.repeats && library.length < MIN_PLAYLIST_LENGTH
  return { ...made, repeats, seed: generated.seed, by: { seed, serial, unplayable, withheld, after } }
}

/** True while a playlist that was made for an earlier state is the one that would be made now. */
export function isCurrent({ by }: MadePlaylist, state: PlayoutState, fact: FactOf<'library'>): boolean {
  const isSame = (['seed', 'serial', 'unplayable', 'withheld'] as const).every(
    (part) => by[part] === state[part],
  )
  return isSame && by.after === trackBefore(state, fact)
}

const isWanted = ({ prepared }: PlayoutState, mode: Mode) =>
  !prepared[mode] || prepared[mode].isStale === true

function takeIn(state: PlayoutState, { mode }: FactOf<'library'>, made: MadePlaylist, nowMs: number): Step {
  const { entries, repeats, seed, serial } = made
  const playlist = mode === state.mode ? beforeNext(state.playlist) : state.playlist
  const prepared = { ...state.prepared, [mode]: { entries, repeats } }
  const others = state.emptyModes.filter((other) => other !== mode)
  const emptyModes = entries.length > 0 ? others : [...others, mode]
  return start({ ...state, seed, serial, playlist, prepared, emptyModes }, nowMs)
}

/** The track behind which the playlist of a mode is played; null where that is not known. */
function trackBefore({ mode, playlist }: PlayoutState, fact: FactOf<'library'>): TrackRef | null {
  if (fact.mode !== mode) return null
  const { entries, index, isStale } = playlist
  const last = isStale ? Math.max(index, ordersOf(entries).at(-1) ?? -1) : entries.length - 1
  return entries[last]?.track ?? null
}

/** Rule L4: the current playlist once the next one is made; a stale one keeps only its orders. */
function beforeNext(list: Playlist): Playlist {
  if (!list.isStale) return list
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType !== null)
  return { ...list, entries, isStale: false }
}
