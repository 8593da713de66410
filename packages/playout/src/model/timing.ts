import type { PlayoutState, QueueEntry } from './state.ts'

/** Bounds a track or clip of unknown duration (rule T3). */
export const UNKNOWN_LENGTH_MS = 600_000

/** Lower bound of a duration, whatever the tags say, so that `advance` makes progress. */
export const MIN_LENGTH_MS = 100

/** Leaves the sound time to end by itself before the clock ends the track (rule T2). */
const SOUND_GRACE_MS = 30_000

/** The moment at which a track ends by its duration. */
export function trackEndMs({ track }: Pick<QueueEntry, 'track'>, startedAtMs: number): number {
  return startedAtMs + Math.max(MIN_LENGTH_MS, track.durationMs ?? UNKNOWN_LENGTH_MS)
}

/** A track that began at a moment. */
export interface Started extends Pick<QueueEntry, 'track'> {
  startedAtMs: number
}

/** The moment at which the clock ends what plays; in stream mode only if the sound does not end. */
export function byClockMs(pace: PlayoutState['pace'], endMs: number): number {
  return endMs + (pace === 'sound' ? SOUND_GRACE_MS : 0)
}

/** The moment at which the clock ends a track at the latest; never for null. */
export function clockEndMs(pace: PlayoutState['pace'], started: Started | null): number {
  return started ? byClockMs(pace, trackEndMs(started, started.startedAtMs)) : Number.POSITIVE_INFINITY
}

/** The moment of the first sound of the entry on air; in stream mode the silence before it is left out (rule V2). */
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

/** Id of the track, jingle or chat on air; the same for all silence before a playlist is ready. */
export function soundId(onAir: PlayoutState['onAir']): string {
  switch (onAir.phase) {
    case 'preparing':
      return 'preparing'
    case 'track':
      return onAir.entry.entryId
    case 'jingle':
      return onAir.jingle.entryId
    case 'chat':
      return `chat ${onAir.sinceMs}`
  }
}

/** Rule V2: the part at the beginning of a track that is not heard, ms. */
export function leftOutMs({ track }: QueueEntry, pace: PlayoutState['pace']): number {
  return pace === 'sound' ? (track.cuePoints?.startMs ?? 0) : 0
}
