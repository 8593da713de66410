import { withCuePoints } from '../clips/cue-points.ts'
import type { CommandOf } from '../model/commands/commands.ts'
import { onceEach } from '../model/once-each.ts'
import { mapPrepared, stale, withoutTracks } from '../model/playlists.ts'
import type {
  OnAir,
  PlayoutState,
  PreparedPlaylist,
  QueueEntry,
  RemovedEntry,
  TrackRef,
} from '../model/state.ts'
import { accepted, acceptedBy, andThen, type Decision, type Step, stepTo, unchanged } from '../model/steps.ts'
import { placesOf, replaced } from '../model/track-places.ts'
import { settleTrackRequests } from '../queue/track-requests.ts'

/** Takes in a changed library: settles tracks, and has the playlists made again (rules K4, L4). */
export function changeLibrary(
  state: PlayoutState,
  { settled = [] }: CommandOf<'library-changed'>,
  nowMs: number,
): Decision<'library-changed'> {
  return acceptedBy(andThen(settle(state, settled, nowMs), (state) => stepTo(outdatePlaylists(state))))
}

/** Has the prepared playlists made again by other settings (rule L4). */
export function changeSettings(state: PlayoutState): Decision<'settings-changed'> {
  return accepted({ ...state, prepared: mapPrepared(state.prepared, stale) })
}

/** Shows changed tracks as they are now, removes deleted ones from the queue, and ends holds (rule K4). */
function settle(
  state: PlayoutState,
  settled: { trackId: string; track: TrackRef | null }[],
  nowMs: number,
): Step {
  if (settled.length === 0) return unchanged(state)
  const tracks = new Map(settled.map(({ trackId, track }) => [trackId, track]))
  const { state: asked, effects } = settleTrackRequests(state, tracks)
  const gone = settled.filter(({ track }) => track === null).map(({ trackId }) => trackId)
  const cleaned = withoutTracks(asked, new Set(gone))
  const { onAir: air } = cleaned
  const onAir = renewOnAir(air, tracks, nowMs)
  const ids = new Set(tracks.keys())
  const trackNow = onceEach((before: TrackRef) => withTags(before, tracks.get(before.id)))
  const renew = <L extends PreparedPlaylist>(list: L): L => {
    const places = placesOf(list.entries, ids)
    if (places.length === 0) return list
    const entries = replaced(list.entries, places, (entry) => {
      const isNow = onAir.phase !== 'preparing' && entry.entryId === onAir.entry?.entryId
      return (isNow && onAir.entry) || { ...entry, track: trackNow(entry.track) }
    })
    return { ...list, entries }
  }
  const renewed = {
    ...cleaned,
    onAir,
    playlist: renew(cleaned.playlist),
    prepared: mapPrepared(cleaned.prepared, renew),
    ...(cleaned.removed && { removed: cleaned.removed.flatMap((one) => settledRemoval(one, tracks)) }),
    withheld: cleaned.withheld.filter((hold) => !tracks.has(hold.trackId)),
  }
  return stepTo(renewed, effects)
}

/** A removed entry with its track as it is now; none when that was deleted. */
function settledRemoval(removed: RemovedEntry, tracks: Map<string, TrackRef | null>): RemovedEntry[] {
  const track = tracks.get(removed.entry.track.id)
  const { entry } = removed
  return track === null ? [] : [{ ...removed, entry: { ...entry, track: withTags(entry.track, track) } }]
}

/** `onAir` with its track as it is now. */
function renewOnAir(onAir: OnAir, tracks: Map<string, TrackRef | null>, nowMs: number): OnAir {
  switch (onAir.phase) {
    case 'preparing':
      return onAir
    case 'track':
    case 'jingle':
      return { ...onAir, entry: renewRunning(onAir.entry, tracks, nowMs - onAir.startedAtMs) }
    case 'chat': {
      const { entry, interrupted } = onAir
      return { ...onAir, entry: entry && renewRunning(entry, tracks, interrupted?.positionMs ?? 0) }
    }
  }
}

/** The running track keeps its end; an unknown end becomes known, but never lies in the past (rule K4). */
function renewRunning(entry: QueueEntry, tracks: Map<string, TrackRef | null>, heardMs: number): QueueEntry {
  const track = tracks.get(entry.track.id)
  if (!track) return entry
  const learntMs = track.durationMs === null ? null : Math.max(track.durationMs, heardMs)
  const durationMs = entry.track.durationMs ?? learntMs
  return { ...entry, track: withCuePoints({ ...track, durationMs }, entry.track.cuePoints) }
}

/** The track with its new tags; the cue points stay (rule V3). */
function withTags(before: TrackRef, track: TrackRef | null | undefined): TrackRef {
  return track ? withCuePoints(track, before.cuePoints) : before
}

/** Rule L4: marks prepared playlists as stale, and the current one if it only repeats a small library. */
function outdatePlaylists(state: PlayoutState): PlayoutState {
  const { playlist, prepared } = state
  return {
    ...state,
    unplayable: [],
    playlist: playlist.repeats ? stale(playlist) : playlist,
    prepared: mapPrepared(prepared, stale),
  }
}
