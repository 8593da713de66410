import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import type { ClipRef, PlayoutState } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { areOn, usableJingle, withoutNextJingle } from './jingles.ts'

/** Puts a jingle after the track on air (rule J7). */
export function insertJingle(
  state: PlayoutState,
  { clipId }: CommandOf<'insert-jingle'>,
): Decision<'insert-jingle'> {
  const obstacle = obstacleTo(state, clipId)
  if (obstacle) return refused(state, 'JINGLE_INSERT_FAILED', obstacle)
  return accepted({ ...state, nextJingleId: clipId })
}

/** Takes back a jingle that was put next (rule J8). */
export function cancelJingle(
  state: PlayoutState,
  { clipId }: CommandOf<'cancel-jingle'>,
): Decision<'cancel-jingle'> {
  if (state.nextJingleId !== clipId) return refused(state, 'JINGLE_CANCEL_FAILED', { reason: 'gone' })
  return accepted(withoutNextJingle(state))
}

/** The jingle that an admin put next; null when there is none. */
export function nextJingle(state: PlayoutState): ClipRef | null {
  return usableJingle(state, state.nextJingleId) ?? null
}

function obstacleTo(state: PlayoutState, clipId: string): FailureDetails | null {
  const { pace, onAir, isPaused, mode, clips } = state
  if (pace === 'clock') return { reason: 'no_stream' }
  if (onAir.phase === 'preparing') return { reason: 'preparing' }
  if (isPaused) return { reason: 'paused' }
  if (onAir.phase === 'jingle') return { reason: 'jingle' }
  if (usableJingle(state, clipId)) return areOn(state) ? null : { reason: 'too_few' }
  const { usable } = clips.jingles
  const isOfOther = usable[mode === 'day' ? 'night' : 'day'].some(({ id }) => id === clipId)
  return { reason: isOfOther ? 'wrong_mode' : 'off' }
}
