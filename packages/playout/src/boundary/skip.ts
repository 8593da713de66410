import type { FailureDetails } from '@solstice/contracts'
import type { Outcome, Step } from '../model/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState } from '../model/state.ts'
import { next } from './boundary.ts'

/** Ends the track on air now (rules A7, J4, O3). */
export function skip(state: PlayoutState, nowMs: number): Step & { outcome: Outcome<'skip'> } {
  const refused = (details: FailureDetails) => ({
    state,
    effects: [],
    outcome: { ok: false, code: 'QUEUE_SKIP_FAILED', details } as const,
  })
  const { onAir } = state
  if (onAir.phase === 'jingle')
    return { state, effects: [], outcome: { ok: false, code: 'JINGLE_IN_PROGRESS' } }
  if (onAir.phase === 'chat') return { state, effects: [], outcome: { ok: false, code: 'QUEUE_PAUSED' } }
  const secs = skipCooldownSecsLeft(state, nowMs)
  if (secs > 0) return refused({ reason: 'cooldown', secsLeft: secs })
  if (onAir.phase === 'preparing') return refused({ reason: 'not_found' })
  return { ...next({ ...state, lastSkipMs: nowMs }, nowMs), outcome: { ok: true, track: onAir.entry.track } }
}

/** Whole seconds until the next skip; 0 = now. */
export function skipCooldownSecsLeft(state: PlayoutState, nowMs: number): number {
  return secsLeft(state.lastSkipMs, state.limits.queueSkipCooldownMs, nowMs)
}
