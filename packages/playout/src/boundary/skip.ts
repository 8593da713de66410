import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState } from '../model/state.ts'
import { acceptedBy, type Decision, refused } from '../model/steps.ts'
import { next } from './boundary.ts'

/** Ends the track on air now (rules A7, J4, O3). */
export function skip(state: PlayoutState, nowMs: number): Decision<'skip'> {
  const { onAir } = state
  if (onAir.phase === 'jingle') return refused(state, 'JINGLE_IN_PROGRESS')
  if (onAir.phase === 'chat') return refused(state, 'QUEUE_PAUSED')
  const secs = skipCooldownSecsLeft(state, nowMs)
  if (secs > 0) return refused(state, 'QUEUE_SKIP_FAILED', { reason: 'cooldown', secsLeft: secs })
  if (onAir.phase === 'preparing') return refused(state, 'QUEUE_SKIP_FAILED', { reason: 'not_found' })
  return acceptedBy(next({ ...state, lastSkipMs: nowMs }, nowMs), { track: onAir.entry.track })
}

/** Whole seconds until the next skip; 0 = now. */
export function skipCooldownSecsLeft(state: PlayoutState, nowMs: number): number {
  return secsLeft(state.lastSkipMs, state.limits.queueSkipCooldownMs, nowMs)
}
