import type { Mode } from '@solstice/contracts'
import { modes } from './schedule.ts'
import type { Playlist, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from './state.ts'
import { learnPlaces } from './track-places.ts'

/** The list while there is none. */
export const emptyPlaylist: Playlist = { entries: [], index: 0, repeats: false }

/** Entries for tracks that nobody ordered, and the serial number that follows. */
export function makeEntries(
  { serial }: PlayoutState,
  tracks: readonly TrackRef[],
): { entries: QueueEntry[]; serial: number } {
  const entries = tracks.map((track, i) => ({
    entryId: `e${serial + i}`,
    track,
    orderType: null,
    tier: null,
  }))
  learnPlaces(entries)
  return { entries, serial: serial + entries.length }
}

/** A donated song waits in this list: it keeps the mode. */
export function isDonatedQueued({ playlist }: PlayoutState): boolean {
  return playlist.entries.some((entry, i) => i > playlist.index && entry.orderType === 'donated')
}

/** The modes for which a list has to be made: the shell answers with a `library` fact for each. */
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

/** What comes next, in order, the first `most` of it: the rest of this list, then the one prepared to follow it. */
export function upcoming(state: PlayoutState, most = Number.POSITIVE_INFINITY): QueueEntry[] {
  const { entries, index } = state.playlist
  const rest = entries.slice(index + 1, index + 1 + most)
  const following = state.prepared[state.mode]?.entries ?? []
  return rest.concat(following.slice(0, most - rest.length))
}
