import type { Command } from '../model/commands/commands.ts'
import { type AllCuePoints, cuePointsChanged } from '../model/cue-point-changes.ts'
import { onceEach } from '../model/once-each.ts'
import type { CuePoints, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '../model/state.ts'
import { lastLook, noteLook, placesOf, replaced } from '../model/track-places.ts'

/** Rule V3: takes in cue points. The track on air plays to its end as it began. */
export function learnCuePoints(state: PlayoutState, cuePoints: AllCuePoints): PlayoutState {
  const { onAir, playlist, prepared, trackRequests } = state
  const ofAir = onAir.phase === 'preparing' ? null : onAir.entry
  const measured = onceEach((track: TrackRef) => withCuePoints(track, cuePoints[track.id]))
  const known = <T extends { track: TrackRef }>(holder: T): T =>
    sameCuePoints(cuePoints[holder.track.id], holder.track.cuePoints)
      ? holder
      : { ...holder, track: measured(holder.track) }
  const knownEntry = (entry: QueueEntry) => (entry.entryId === ofAir?.entryId ? entry : known(entry))
  /** The track on air is looked at once more when it is no longer there. */
  const look = { by: cuePoints, news: new Set(ofAir ? [ofAir.track.id] : []) }
  const inList = <L extends PreparedPlaylist>(before: L): L => {
    const places = outdated(before.entries, cuePoints, knownEntry)
    const entries = places.length === 0 ? before.entries : replaced(before.entries, places, knownEntry)
    noteLook(entries, look)
    return entries === before.entries ? before : { ...before, entries }
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

/** Indices of the entries that have other cue points now. Of a playlist that was looked through only the changed tracks are compared. */
function outdated(
  entries: readonly QueueEntry[],
  cuePoints: AllCuePoints,
  knownEntry: (entry: QueueEntry) => QueueEntry,
): number[] {
  const look = lastLook(entries)
  const changed = look && cuePointsChanged(look.by as AllCuePoints, cuePoints)
  if (!changed || !look) return entries.flatMap((entry, i) => (knownEntry(entry) === entry ? [] : [i]))
  return placesOf(entries, new Set([...look.news, ...changed])).filter((at) => {
    const entry = entries[at]!
    return knownEntry(entry) !== entry
  })
}

/** Rule V3: adds cue points to the tracks of a command, so that the rest of the queue need not be searched. */
export function commandWithCuePoints(command: Command, cuePoints: AllCuePoints): Command {
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
