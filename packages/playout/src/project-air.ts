import { advance, next, trackEndMs } from './advance.ts'
import type { PlayoutState, QueueEntry } from './state.ts'

/** What is to be heard at a moment, and what follows it. */
export interface AirPlan {
  current: { entry: QueueEntry; positionMs: number } | null
  next: QueueEntry | null
}

/** What to decode, and from where. Says nothing of time: the sound itself reports its end. */
export function projectAir(saved: PlayoutState, atMs: number): AirPlan {
  // The first track after a preparing phase starts at a moment that is known before.
  const state = saved.onAir.phase === 'preparing' ? advance(saved, atMs).state : saved
  const { onAir } = state
  if (onAir.phase === 'preparing')
    return { current: null, next: state.prepared[state.mode]?.entries[0] ?? null }
  if (atMs < onAir.startedAtMs) return { current: null, next: onAir.entry }
  const after = next(state, Math.max(atMs, trackEndMs(onAir.entry, onAir.startedAtMs))).state.onAir
  return {
    current: { entry: onAir.entry, positionMs: atMs - onAir.startedAtMs },
    next: after.phase === 'track' ? after.entry : null,
  }
}
