import { start } from '../boundary/boundary.ts'
import type { FactOf } from '../model/commands/commands.ts'
import { finish, type Pieces } from '../model/pieces.ts'
import { makeEntries } from '../model/playlists.ts'
import type { Playlist, PlayoutState } from '../model/state.ts'
import { type Step, unchanged } from '../model/steps.ts'
import { playable } from '../queue/queue.ts'
import { MIN_PLAYLIST_LENGTH, playlistInPieces } from '../rotation/playlist.ts'

/** Prepares the playlist of a mode, and begins it if the air was waiting for it (rule L3). */
export function learnLibrary(state: PlayoutState, fact: FactOf<'library'>, nowMs: number): Step {
  return finish(learnInPieces(state, fact, nowMs))
}

/** … with interruptions. */
export function* learnInPieces(state: PlayoutState, fact: FactOf<'library'>, nowMs: number): Pieces<Step> {
  const before = state.prepared[fact.mode]
  if (before && !before.isStale) return unchanged(state)
  const library = playable(state, fact.tracks)
  yield
  const follows = fact.mode === state.mode
  const playlist = follows ? beforeNext(state.playlist) : state.playlist
  const after = follows ? (playlist.entries.at(-1)?.track ?? null) : null
  const { tracks, repeats, seed } = yield* playlistInPieces(library, fact.settings, state.seed, after)
  yield
  const { entries, serial } = makeEntries(state, tracks)
  // Where only the limit is short, the library has more tracks than the repeated ones.
  const isSmall = repeats && library.length < MIN_PLAYLIST_LENGTH
  const prepared = { ...state.prepared, [fact.mode]: { entries, repeats: isSmall } }
  const others = state.emptyModes.filter((mode) => mode !== fact.mode)
  const emptyModes = entries.length > 0 ? others : [...others, fact.mode]
  return start({ ...state, seed, serial, playlist, prepared, emptyModes }, nowMs)
}

/** Rule L4: the current playlist once the next one is made; a stale one keeps only its orders. */
function beforeNext(list: Playlist): Playlist {
  if (!list.isStale) return list
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType !== null)
  return { ...list, entries, isStale: false }
}
