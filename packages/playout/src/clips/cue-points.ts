import type { Command } from '../model/commands/commands.ts'
import type { CuePoints, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '../model/state.ts'
import { replaced } from '../model/track-places.ts'

/** Rule V3: takes in cue points. The track on air plays to its end as it began. */
export function learnCuePoints(
  state: PlayoutState,
  cuePoints: Readonly<Record<string, CuePoints>>,
): PlayoutState {
  const { onAir, playlist, prepared, trackRequests } = state
  const onAirId = onAir.phase === 'preparing' ? null : onAir.entry?.entryId
  const known = <T extends { track: TrackRef }>(holder: T): T => {
    const measured = cuePoints[holder.track.id]
    return sameCuePoints(measured, holder.track.cuePoints)
      ? holder
      : { ...holder, track: withCuePoints(holder.track, measured) }
  }
  const knownEntry = (entry: QueueEntry) => (entry.entryId === onAirId ? entry : known(entry))
  const inList = <L extends PreparedPlaylist>(before: L): L => {
    const places = before.entries.flatMap((entry, i) => (knownEntry(entry) === entry ? [] : [i]))
    return places.length === 0 ? before : { ...before, entries: replaced(before.entries, places, knownEntry) }
  }
  const informed = {
    playlist: inList(playlist),
    prepared: Object.fromEntries(Object.entries(prepared).map(([mode, other]) => [mode, inList(other)])),
    trackRequests: trackRequests.map(known),
  }
  const isUnchanged =
    informed.playlist === playlist &&
    isEach(Object.values(informed.prepared), Object.values(prepared)) &&
    isEach(informed.trackRequests, trackRequests)
  return isUnchanged ? state : { ...state, ...informed }
}

/** Rule V3: adds cue points to the tracks of a command, so that the rest of the queue need not be searched. */
export function commandWithCuePoints(
  command: Command,
  cuePoints: Readonly<Record<string, CuePoints>>,
): Command {
  const known = (track: TrackRef) => withCuePoints(track, cuePoints[track.id])
  if ('track' in command) return { ...command, track: known(command.track) }
  if ('tracks' in command) return { ...command, tracks: command.tracks.map(known) }
  return command
}

/** The track with these cue points; without any it plays as it is. */
export function withCuePoints(track: TrackRef, cuePoints: CuePoints | undefined): TrackRef {
  const { cuePoints: _, ...plain } = track
  return cuePoints ? { ...plain, cuePoints } : plain
}

/** The sound of a track as far as it is known: not yet, that there is none, or how loud it is and where it ends. */
export function soundOf({ cuePoints }: TrackRef): 'unknown' | 'none' | 'measured' {
  if (!cuePoints) return 'unknown'
  return cuePoints.gainDb === null && cuePoints.endMs === null ? 'none' : 'measured'
}

export function sameCuePoints(one: CuePoints | undefined, other: CuePoints | undefined): boolean {
  if (!one || !other) return one === other
  return one.gainDb === other.gainDb && one.startMs === other.startMs && one.endMs === other.endMs
}

function isEach<T>(these: readonly T[], those: readonly T[]): boolean {
  return these.length === those.length && these.every((one, i) => one === those[i])
}
