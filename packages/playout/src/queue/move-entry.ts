import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState, QueueEntry } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { spliced } from '../model/track-places.ts'
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
  const entry = shownQueue(state, from)[from - 1]
  if (entry?.entryId !== entryId) {
    const isShown = shownQueue(state).some((candidate) => candidate.entryId === entryId)
    return refuse({ reason: isShown ? 'moved' : 'not_found' })
  }
  if (from === to) return accepted(state, { track: entry.track })
  if (lockOf(state, entry.track.id)) return refuse({ reason: 'locked' })
  if (entry.orderType === 'donated') return refuse({ reason: 'donated' })
  const moved = withMoved(state, entry, from, to)
  if (!moved) return refuse({ reason: 'place' })
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  if (sameBesides(moved, first, last) > sameBesides(state, first, last))
    return refuse({ reason: 'duplicate_nearby' })
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
  const all =
    from < to
      ? spliced(entries, at, to - from + 1, [...passed, entry])
      : spliced(entries, place, from - to + 1, [entry, ...passed])
  return { ...state, playlist: { ...playlist, entries: all } }
}

/** How often a track follows itself between two positions and beside them; the first of the prepared playlist counts. */
function sameBesides({ playlist, prepared, mode }: PlayoutState, first: number, last: number): number {
  const { entries, index } = playlist
  const following = prepared[mode]?.entries[0]
  let count = 0
  for (let i = Math.max(0, index + first - 1); i <= index + last; i++)
    if (entries[i]!.track.id === (entries[i + 1] ?? following)?.track.id) count++
  return count
}
