import type { FailureDetails, Mode } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import { isDonatedOnAir } from '../model/on-air.ts'
import { donatedQueued, emptyPlaylist } from '../model/playlists.ts'
import { naturalMode } from '../model/schedule.ts'
import type { PendingSwitch, PlayoutState, Schedule } from '../model/state.ts'
import { accepted, acceptedBy, type Decision, refused, type Step, stepTo } from '../model/steps.ts'
import { enterMode } from './enter-mode.ts'

/** Switches the mode for an admin, now or at a moment (rules S1, S2, S3). */
export function switchMode(
  state: PlayoutState,
  { target, atMs }: CommandOf<'switch-mode'>,
  nowMs: number,
): Decision<'switch-mode'> {
  const details = refusal(state, target, nowMs)
  if (details) return refused(state, 'MODE_SWITCH_REFUSED', details)
  const isLater = atMs !== null && atMs > nowMs
  if (!isLater && !isDonatedOnAir(state)) return acceptedBy(switchNow(state, target, nowMs))
  const pendingSwitch = isLater
    ? { target, atMs, waiting: null }
    : waitingSwitch(state.schedule, target, nowMs)
  return accepted({ ...state, pendingSwitch })
}

/** Takes a pending switch back (rule S2d). */
export function cancelSwitch(state: PlayoutState): Decision<'cancel-switch'> {
  return accepted(state.pendingSwitch ? { ...state, pendingSwitch: null } : state)
}

function refusal(state: PlayoutState, target: Mode, nowMs: number): FailureDetails | null {
  if (!state.nightMode) return { reason: 'night_off', donated: false }
  if (target === state.mode) return { reason: 'already', donated: false }
  const isSilent = state.emptyModes.includes(state.mode)
  const secs = isSilent ? 0 : secsLeft(state.lastSwitchMs, state.limits.modeSwitchCooldownMs, nowMs)
  if (secs > 0) return { reason: 'cooldown', secsLeft: secs, donated: false }
  const songs = donatedQueued(state)
  if (songs > 0) return { reason: 'donated', donated: true, songs }
  return state.emptyModes.includes(target) ? { reason: 'empty', donated: false } : null
}

/** Rules S5, S6: ends the track and prepares the mode from a fresh library; against the schedule it is forced. */
export function switchNow(state: PlayoutState, target: Mode, atMs: number): Step {
  const { state: entered, effects } = enterMode(state, target)
  const { [target]: _stale, ...prepared } = entered.prepared
  const switched: PlayoutState = {
    ...entered,
    forced: forcedMode(entered.schedule, target, atMs),
    pendingSwitch: null,
    lastSwitchMs: atMs,
    playlist: emptyPlaylist,
    prepared,
    onAir: {
      phase: 'preparing',
      target,
      sinceMs: atMs,
      notBeforeMs: atMs + entered.limits.preparingMinMs,
    },
  }
  return stepTo(switched, effects)
}

/** Rule S4: a switch that waits for the end of donated tracks, until the schedule changes at the latest. */
export function waitingSwitch({ changes }: Schedule, target: Mode, atMs: number): PendingSwitch {
  return { target, atMs, waiting: { untilMs: changes.find((change) => change.atMs > atMs)?.atMs ?? null } }
}

/** Rule S8: moves a pending switch with the wall clock, which may have been set since the last schedule. */
export function onSchedule(
  pending: PendingSwitch,
  before: Schedule,
  schedule: Schedule,
  nowMs: number,
): PendingSwitch {
  const { aheadMs = 0 } = schedule
  const byMs = aheadMs - (before.aheadMs ?? aheadMs)
  if (byMs === 0) return pending
  return pending.waiting
    ? waitingSwitch(schedule, pending.target, nowMs)
    : { ...pending, atMs: pending.atMs + byMs }
}

/** The forced mode that keeps `mode` on air against the schedule; null when it is the natural one. */
export function forcedMode(schedule: Schedule, mode: Mode, atMs: number): PlayoutState['forced'] {
  if (naturalMode(schedule, atMs) === mode) return null
  const untilMs = schedule.changes.find((change) => change.atMs > atMs && change.mode === mode)?.atMs ?? null
  return { mode, untilMs }
}
