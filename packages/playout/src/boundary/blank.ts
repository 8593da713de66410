import { soundOf } from '../clips/cue-points.ts'
import { makeEntries, upcoming } from '../model/playlists.ts'
import { dueMode } from '../model/schedule.ts'
import type { PlayoutState } from '../model/state.ts'
import { insertAt, playable } from '../queue/queue.ts'

/**
 * Rule T6: nothing was heard of the track on air. If nothing was heard of the one before it either, the next one is a track
 * that is known to sound, if there is one.
 */
export function withSafeNext(state: PlayoutState, atMs: number): PlayoutState {
  const { playlist, unplayable } = state
  const { entries, index } = playlist
  const [before, current] = [entries[index - 1], entries[index]]
  if (!before || !current || !unplayable.includes(before.track.id)) return state
  // Rule M1: where the mode changes at this track boundary, donated tracks come next without another entry before them.
  if (dueMode(state, atMs) !== state.mode) return state

  const others = [current.track.id, upcoming(state, 1)[0]?.track.id]
  const heard = entries.slice(0, index).map(({ track }) => track)
  const safe = playable(state, heard).find(({ id }) => !others.includes(id))
  if (safe) {
    const made = makeEntries(state, [safe])
    return { ...insertAt(state, index + 1, made.entries), serial: made.serial }
  }
  const following = entries.slice(index + 1)
  const sounding = following.find(
    ({ track }) => soundOf(track) === 'measured' && track.id !== current.track.id,
  )
  if (!sounding) return state
  const rest = following.filter((entry) => entry !== sounding)
  return { ...state, playlist: { ...playlist, entries: [...entries.slice(0, index + 1), sounding, ...rest] } }
}
