import type { PlayoutState, QueueEntry } from './state.ts'

/** A track of unknown length is left after this time (rule T3). */
const UNKNOWN_LENGTH_MS = 600_000

/** No track is shorter than this to the clock, whatever its tags say: the loop below must get on. */
const SHORTEST_MS = 100

/** When a track ends by its duration. */
export function trackEndMs(entry: QueueEntry, startedAtMs: number): number {
  return startedAtMs + Math.max(SHORTEST_MS, entry.track.durationMs ?? UNKNOWN_LENGTH_MS)
}

/** When the first sound of what is on air is due: in stream mode not at position 0, where silence before it is left out. */
export function soundStartMs({ onAir, pace }: Pick<PlayoutState, 'onAir' | 'pace'>): number {
  switch (onAir.phase) {
    case 'preparing':
      return onAir.sinceMs
    case 'jingle':
      return onAir.startedAtMs
    case 'track':
      return onAir.resumedAtMs ?? onAir.startedAtMs + leftOutMs(onAir.entry, pace)
    case 'chat':
      return onAir.background.startedAtMs
  }
}

/** Rule V2: what of the beginning of a track is not heard. */
export function leftOutMs({ track }: QueueEntry, pace: PlayoutState['pace']): number {
  return pace === 'sound' ? (track.cuePoints?.startMs ?? 0) : 0
}
