import type { Command } from '../model/commands.ts'
import type { PlayoutState, PreparedList, QueueEntry, Rendition, TrackRef } from '../model/state.ts'
import { carryPlaces } from '../model/track-places.ts'

/** Rule V3: how tracks are played is known now. What is on air is played to its end as it was begun. */
export function learnRenditions(
  state: PlayoutState,
  renditions: Readonly<Record<string, Rendition>>,
): PlayoutState {
  const { onAir, list, prepared, suggestions } = state
  const onAirId = onAir.phase === 'preparing' ? null : onAir.entry?.entryId
  const known = <T extends { track: TrackRef }>(holder: T): T => {
    const rendition = renditions[holder.track.id]
    return isSame(rendition, holder.track.rendition)
      ? holder
      : { ...holder, track: withRendition(holder.track, rendition) }
  }
  const knownEntry = (entry: QueueEntry) => (entry.entryId === onAirId ? entry : known(entry))
  const inList = <L extends PreparedList>(before: L): L => {
    const entries = before.entries.map(knownEntry)
    if (isEach(entries, before.entries)) return before
    carryPlaces(entries, before.entries)
    return { ...before, entries }
  }
  const informed = {
    list: inList(list),
    prepared: Object.fromEntries(Object.entries(prepared).map(([mode, other]) => [mode, inList(other)])),
    suggestions: suggestions.map(known),
  }
  const isUnchanged =
    informed.list === list &&
    isEach(Object.values(informed.prepared), Object.values(prepared)) &&
    isEach(informed.suggestions, suggestions)
  return isUnchanged ? state : { ...state, ...informed }
}

/** Rule V3: the songs that a command brings, as they are played; nothing else in the queue has to be looked at for that. */
export function withRenditions(command: Command, renditions: Readonly<Record<string, Rendition>>): Command {
  const known = (track: TrackRef) => withRendition(track, renditions[track.id])
  if ('track' in command) return { ...command, track: known(command.track) }
  if ('tracks' in command) return { ...command, tracks: command.tracks.map(known) }
  return command
}

/** A track that is played in this way; without one as it is. */
export function withRendition(track: TrackRef, rendition: Rendition | undefined): TrackRef {
  const { rendition: _, ...plain } = track
  return rendition ? { ...plain, rendition } : plain
}

function isSame(one: Rendition | undefined, other: Rendition | undefined): boolean {
  if (!one || !other) return one === other
  return one.gainDb === other.gainDb && one.startMs === other.startMs && one.endMs === other.endMs
}

function isEach<T>(these: readonly T[], those: readonly T[]): boolean {
  return these.length === those.length && these.every((one, i) => one === those[i])
}
