import type { FailureDetails, Mode } from '@solstice/contracts'
import type { Command, Outcome, Step } from './commands.ts'
import { emptyList, isDonatedQueued, naturalMode, type PlayoutState, type Schedule } from './state.ts'

/** An admin asks for another mode, now or at a moment (rules S1, S2, S3). */
export function switchMode(
  state: PlayoutState,
  { target, atMs }: Extract<Command, { type: 'switch-mode' }>,
  nowMs: number,
): Step & { outcome: Outcome<'switch-mode'> } {
  const details = refusal(state, target, nowMs)
  if (details) return { state, effects: [], outcome: { ok: false, code: 'MODE_SWITCH_REFUSED', details } }
  const isNow = atMs === null || atMs <= nowMs
  return {
    state: isNow
      ? switchNow(state, target, nowMs)
      : { ...state, pendingSwitch: { target, atMs, waiting: null } },
    effects: [],
    outcome: { ok: true },
  }
}

function refusal(state: PlayoutState, target: Mode, nowMs: number): FailureDetails | null {
  if (!state.nightMode) return { reason: 'night_off', donated: false }
  if (target === state.mode) return { reason: 'already', donated: false }
  const secsLeft = cooldownSecsLeft(state.lastSwitchMs, state.limits.modeSwitchCooldownMs, nowMs)
  if (secsLeft > 0) return { reason: 'cooldown', secsLeft, donated: false }
  return isDonatedQueued(state) ? { reason: 'donated', donated: true } : null
}

/** Rules S5, S6: the track stops, the mode is prepared from a fresh library; against the schedule it is forced. */
export function switchNow(state: PlayoutState, target: Mode, atMs: number): PlayoutState {
  const { [target]: _stale, ...prepared } = state.prepared
  return {
    ...state,
    mode: target,
    forced: forcedMode(state.schedule, target, atMs),
    pendingSwitch: null,
    lastSwitchMs: atMs,
    list: emptyList,
    prepared,
    onAir: {
      phase: 'preparing',
      target,
      sinceMs: atMs,
      notBeforeMs: atMs + state.limits.preparingMinMs,
    },
  }
}

/** What keeps a mode on air that is not the natural one of a moment; null when it is. */
export function forcedMode(schedule: Schedule, mode: Mode, atMs: number): PlayoutState['forced'] {
  if (naturalMode(schedule, atMs) === mode) return null
  const untilMs = schedule.changes.find((change) => change.atMs > atMs && change.mode === mode)?.atMs ?? null
  return { mode, untilMs }
}

/** Whole seconds until something may be done again that was done at `lastMs`; 0 = now. */
export function cooldownSecsLeft(lastMs: number | null, cooldownMs: number, nowMs: number): number {
  return lastMs === null ? 0 : Math.max(0, Math.ceil((lastMs + cooldownMs - nowMs) / 1000))
}
