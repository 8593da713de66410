import type { Mode } from '@solstice/contracts'
import type { Effect, Step } from './commands.ts'
import { naturalMode, type PlayoutState, type QueueEntry } from './state.ts'

/** A track of unknown length is left after this time (rule T3). */
const UNKNOWN_LENGTH_MS = 600_000
/** How long the sound may run over the duration before the clock ends the track (rule T2). */
const SOUND_GRACE_MS = 30_000
/** No track is shorter than this to the clock, whatever its tags say: the loop below must get on. */
const SHORTEST_MS = 100

/** Time passes: all that falls due until `nowMs` happens, each at its own moment. */
export function advance(state: PlayoutState, nowMs: number): Step {
  const effects: Effect[] = []
  for (;;) {
    const dueMs = nextDueMs(state)
    if (dueMs === null || dueMs > nowMs) return { state, effects }
    const step =
      state.onAir.phase === 'track'
        ? next(state, dueMs)
        : startList(state, naturalMode(state.schedule, dueMs), dueMs)
    state = step.state
    effects.push(...step.effects)
  }
}

/** The moment at which time alone changes the state, or null. */
export function nextDueMs(state: PlayoutState): number | null {
  const { onAir } = state
  if (onAir.phase === 'preparing') {
    return state.schedule.changes.find((change) => change.atMs > onAir.sinceMs)?.atMs ?? null
  }
  return trackEndMs(onAir.entry, onAir.startedAtMs) + (state.pace === 'sound' ? SOUND_GRACE_MS : 0)
}

/** When a track ends by its duration. */
export function trackEndMs(entry: QueueEntry, startedAtMs: number): number {
  return startedAtMs + Math.max(SHORTEST_MS, entry.track.durationMs ?? UNKNOWN_LENGTH_MS)
}

/** The track boundary at `atMs`: the mode that is due then, its list, the next entry (rules M1, L1, L2). */
export function next(state: PlayoutState, atMs: number): Step {
  const mode = naturalMode(state.schedule, atMs)
  if (mode !== state.mode) return startList(state, mode, atMs)
  const index = state.list.index + 1
  const entry = state.list.entries[index]
  return entry
    ? startEntry({ ...state, list: { ...state.list, index } }, entry, atMs)
    : startList(state, mode, atMs)
}

/** Begins the prepared list of a mode; without one the air is preparing until there is (rule L3). */
export function startList(state: PlayoutState, mode: Mode, atMs: number): Step {
  const { [mode]: prepared, ...others } = state.prepared
  const first = prepared?.entries[0]
  if (!prepared || !first) {
    const list = { entries: [], index: 0, repeats: false }
    return {
      state: { ...state, mode, list, onAir: { phase: 'preparing', target: mode, sinceMs: atMs } },
      effects: [],
    }
  }
  return startEntry({ ...state, mode, prepared: others, list: { ...prepared, index: 0 } }, first, atMs)
}

function startEntry(state: PlayoutState, entry: QueueEntry, atMs: number): Step {
  return {
    state: { ...state, onAir: { phase: 'track', entry, startedAtMs: atMs } },
    effects: [{ type: 'played', track: entry.track, mode: state.mode, startedAtMs: atMs }],
  }
}
