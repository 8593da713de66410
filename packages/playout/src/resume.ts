import { advance, start } from './advance.ts'
import type { Step } from './commands.ts'
import { emptyList, type PlayoutState } from './state.ts'

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
  // The rest happened in silence: a switch that fell due, the hours of day and night (rules M2, S7).
  const onAir = {
    phase: 'preparing',
    target: state.mode,
    sinceMs: aliveAtMs,
    notBeforeMs: aliveAtMs,
  } as const
  const silent: PlayoutState = { ...state, list: emptyList, prepared: {}, onAir }
  return advance(start(silent, aliveAtMs).state, atMs)
}
