import { type Mode, modes } from '@solstice/contracts'
import { finish, PIECE, type Pieces } from './pieces.ts'
import type { Playlist, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from './state.ts'
import { learnPlacesInPieces, ordersOf, placesOf, without } from './track-places.ts'

/** A playlist, and the parts of the state by which it was made. */
export interface MadePlaylist {
  entries: QueueEntry[]
  repeats: boolean
  seed: number
  serial: number
  by: Pick<PlayoutState, 'seed' | 'serial' | 'unplayable' | 'withheld'> & { after: TrackRef | null }
}

/** Stands for the playlist while there is none. */
export const emptyPlaylist: Playlist = { entries: [], index: 0, repeats: false }

/** Entries for tracks that nobody ordered, and the next serial number. */
export function makeEntries(
  { serial }: Pick<PlayoutState, 'serial'>,
  tracks: readonly TrackRef[],
): { entries: QueueEntry[]; serial: number } {
  return finish(entriesInPieces(serial, tracks))
}

/** … with interruptions. */
export function* entriesInPieces(
  serial: number,
  tracks: readonly TrackRef[],
): Pieces<{ entries: QueueEntry[]; serial: number }> {
  const entries: QueueEntry[] = []
  for (const [i, track] of tracks.entries()) {
    if (i % PIECE === 0) yield
    entries.push({ entryId: `e${serial + i}`, track, orderType: null, tier: null })
  }
  yield* learnPlacesInPieces(entries)
  return { entries, serial: serial + entries.length }
}

/** The number of donated tracks that wait in the playlist; they keep the mode. */
export function donatedQueued({ playlist: { entries, index } }: PlayoutState): number {
  return ordersOf(entries).filter((place) => place > index && entries[place]!.orderType === 'donated').length
}

/** True while a donated track waits in the playlist. */
export const isDonatedQueued = (state: PlayoutState): boolean => donatedQueued(state) > 0

/** The modes that need a playlist: the shell answers with a `library` fact for each. */
export function wantedPlaylists(state: PlayoutState): Mode[] {
  const wanted = new Set([
    state.mode,
    state.schedule.natural,
    ...state.schedule.changes.map((change) => change.mode),
    ...(state.nightMode ? modes : []),
  ])
  const isMade = (list: PreparedPlaylist | undefined) => list !== undefined && !list.isStale
  return [...wanted].filter((mode) => !isMade(state.prepared[mode]))
}

/** The first `most` upcoming entries, in order: the rest of the playlist, then the prepared one. */
export function upcoming(state: PlayoutState, most = Number.POSITIVE_INFINITY): QueueEntry[] {
  const { entries, index } = state.playlist
  const rest = entries.slice(index + 1, index + 1 + most)
  const following = state.prepared[state.mode]?.entries ?? []
  return rest.concat(following.slice(0, most - rest.length))
}

/**
 * Removes all upcoming entries of some tracks; played entries and the one on air stay. A prepared playlist that loses all
 * its entries is made again: there may be other tracks.
 */
export function withoutTracks(state: PlayoutState, gone: ReadonlySet<string>): PlayoutState {
  if (gone.size === 0) return state
  const withoutThem = <L extends PreparedPlaylist>(list: L, index: number): L => {
    const places = placesOf(list.entries, gone).filter((place) => place > index)
    // An unchanged playlist need not be saved or made again.
    return places.length === 0 ? list : { ...list, entries: without(list.entries, places) }
  }
  return {
    ...state,
    playlist: withoutThem(state.playlist, state.playlist.index),
    prepared: Object.fromEntries(
      Object.entries(state.prepared)
        .map(([mode, list]) => [mode, withoutThem(list, -1), list] as const)
        .filter(([, left, before]) => left.entries.length > 0 || left === before)
        .map(([mode, left]) => [mode, left]),
    ),
  }
}

/** The prepared playlists, each changed. */
export function mapPrepared(
  prepared: PlayoutState['prepared'],
  change: (list: PreparedPlaylist) => PreparedPlaylist,
): PlayoutState['prepared'] {
  return Object.fromEntries(Object.entries(prepared).map(([mode, list]) => [mode, change(list)]))
}

/** A playlist that is to be made again, and keeps its place until then (rule L4). */
export const stale = <L extends PreparedPlaylist>(list: L): L => ({ ...list, isStale: true })
