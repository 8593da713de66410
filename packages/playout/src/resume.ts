import { advance } from './advance.ts'
import type { Step } from './commands.ts'
import { naturalMode, type PlayoutState } from './state.ts'

/** A state whose station was silent for longer is only kept in part (rule R2). */
const FORGET_AFTER_MS = 600_000

/**
 * A worker takes over a saved state (rules R1, R2).
 *
 * @param aliveAtMs when the worker before was last seen on air.
 * @param atMs the moment at which the air goes on.
 */
export function resume(state: PlayoutState, aliveAtMs: number, atMs: number): Step {
  if (atMs - aliveAtMs < FORGET_AFTER_MS) {
    // While nobody was on air the clock went on, also where otherwise the sound decides.
    const { state: caughtUp, effects } = advance({ ...state, pace: 'clock' }, atMs)
    return { state: { ...caughtUp, pace: state.pace }, effects }
  }
  const mode = naturalMode(state.schedule, atMs)
  const list = { entries: [], index: 0, repeats: false }
  return {
    state: { ...state, mode, list, prepared: {}, onAir: { phase: 'preparing', target: mode, sinceMs: atMs } },
    effects: [],
  }
}
