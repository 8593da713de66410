import { next, trackEndMs } from './advance.ts'
import type { PlayoutState, QueueEntry } from './state.ts'

/** What is to be heard at a moment, and what follows it. */
export interface AirPlan {
  current: { entry: QueueEntry; positionMs: number } | null
  next: QueueEntry | null
}

/** What to decode, and from where. Says nothing of time: the sound itself reports its end. */
export function projectAir(state: PlayoutState, atMs: number): AirPlan {
  const { onAir } = state
  if (onAir.phase !== 'track') return { current: null, next: null }
  if (atMs < onAir.startedAtMs) return { current: null, next: onAir.entry }
  const after = next(state, Math.max(atMs, trackEndMs(onAir.entry, onAir.startedAtMs))).state.onAir
  return {
    current: { entry: onAir.entry, positionMs: atMs - onAir.startedAtMs },
    next: after.phase === 'track' ? after.entry : null,
  }
}
