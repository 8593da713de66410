import { upcoming } from '../model/playlists.ts'
import type { CuePoints, OnAir, PlayoutState, QueueEntry } from '../model/state.ts'

/** What tells one state from another at a glance, whatever the size of the library: two states with equal marks are nearly always equal. */
export interface Mark {
  mode: PlayoutState['mode']
  seed: number
  serial: number
  /** Entries of the playlist, the place of the one on air, and the id of the next. */
  entries: number
  index: number
  next: string | null
  /** Entries of each prepared playlist. */
  prepared: Record<string, number>
  isPaused: boolean
  /** People on the air. */
  speakers: number
  onAir: object
}

/** The mark of a state. */
export function markOf(state: PlayoutState): Mark {
  const { mode, seed, serial, playlist, prepared, isPaused, live, onAir } = state
  return {
    ...{ mode, seed, serial, isPaused },
    entries: playlist.entries.length,
    index: playlist.index,
    next: upcoming(state, 1)[0]?.entryId ?? null,
    prepared: Object.fromEntries(Object.entries(prepared).map(([mode, list]) => [mode, list.entries.length])),
    speakers: live.participants.length,
    onAir: withoutFacts(onAir),
  }
}

/** What is on air, with the ids and cue points of its tracks alone. */
function withoutFacts(onAir: OnAir): object {
  return onAir.phase === 'preparing' ? onAir : { ...onAir, entry: onAir.entry && idsOf(onAir.entry) }
}

function idsOf({ entryId, track }: QueueEntry): { entryId: string; trackId: string; cuePoints?: CuePoints } {
  return { entryId, trackId: track.id, ...(track.cuePoints && { cuePoints: track.cuePoints }) }
}
