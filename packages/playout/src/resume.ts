import type { Mode } from '@solstice/contracts'
import { advance, next, start } from './advance.ts'
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
  const ordered = state.list.entries.slice(state.list.index + 1).filter((entry) => entry.orderType !== null)
  const onAir = {
    phase: 'preparing',
    target: state.mode,
    sinceMs: aliveAtMs,
    notBeforeMs: aliveAtMs,
  } as const
  const waiting = { ...emptyList, entries: ordered, index: -1 }
  const began = start({ ...state, list: waiting, prepared: {}, onAir, isPaused: false }, aliveAtMs)
  const passed = advance(began.state, atMs)
  const resumed = playOrders(passed.state, state.mode, atMs)
  return { state: resumed.state, effects: [...began.effects, ...passed.effects, ...resumed.effects] }
}

/** What was asked for and paid for begins; where the mode has changed only the latter is played, as in rule M1. */
function playOrders(state: PlayoutState, mode: Mode, atMs: number): Step {
  const orders = state.list.entries.filter((entry) => state.mode === mode || entry.orderType === 'donated')
  if (orders.length === 0) return { state: { ...state, list: emptyList }, effects: [] }
  return next({ ...state, mode, list: { ...state.list, entries: orders } }, atMs)
}
