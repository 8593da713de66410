import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState, QueueEntry } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { carryPlaces } from '../model/track-places.ts'
import { lockOf, shownQueue } from './projection.ts'

/** Moves an upcoming entry to another position of the playlist (rule A11). */
export function moveEntry(
  state: PlayoutState,
  { entryId, from, to }: CommandOf<'move-entry'>,
  nowMs: number,
): Decision<'move-entry'> {
  const refuse = (details: FailureDetails) => refused(state, 'QUEUE_MOVE_FAILED', details)
  const secs = secsLeft(state.lastRemoveMs, state.limits.queueRemoveCooldownMs, nowMs)
  if (secs > 0) return refuse({ reason: 'cooldown', secsLeft: secs })
  const shown = shownQueue(state)
  const entry = shown.find((candidate) => candidate.entryId === entryId)
  if (!entry) return refuse({ reason: 'not_found' })
  if (shown[from - 1] !== entry) return refuse({ reason: 'moved' })
  if (from === to) return accepted(state, { track: entry.track })
  if (lockOf(state, entry.track.id)) return refuse({ reason: 'locked' })
  if (entry.orderType === 'donated') return refuse({ reason: 'donated' })
  const moved = withMoved(state, entry, from, to)
  if (!moved) return refuse({ reason: 'place' })
  if (sameBesides(moved) > sameBesides(state)) return refuse({ reason: 'duplicate_nearby' })
  return accepted({ ...moved, lastRemoveMs: nowMs }, { track: entry.track })
}

/** The state with an entry at another position; null when it would pass an entry of another kind or leave the playlist. */
function withMoved(state: PlayoutState, entry: QueueEntry, from: number, to: number): PlayoutState | null {
  const { playlist } = state
  const { entries, index } = playlist
  const [at, place] = [index + from, index + to]
  if (!Number.isInteger(to) || to < 1 || place >= entries.length || entries[at] !== entry) return null
  const passed = from < to ? entries.slice(at + 1, place + 1) : entries.slice(place, at)
  if (passed.some(({ orderType }) => orderType !== entry.orderType)) return null
  const all = entries.toSpliced(at, 1).toSpliced(place, 0, entry)
  carryPlaces(all, entries)
  return { ...state, playlist: { ...playlist, entries: all } }
}

/** How often a track follows itself, from the one on air to the first of the prepared playlist. */
function sameBesides({ playlist, prepared, mode }: PlayoutState): number {
  const { entries, index } = playlist
  const following = prepared[mode]?.entries[0]
  let count = 0
  for (let i = Math.max(0, index); i < entries.length; i++)
    if (entries[i]!.track.id === (entries[i + 1] ?? following)?.track.id) count++
  return count
}
