import type { PlayoutState, QueueEntry } from './state.ts'

/** The song on air, or the one that goes on after a talk. */
export function songOnAir({ onAir }: Pick<PlayoutState, 'onAir'>): QueueEntry | null {
  switch (onAir.phase) {
    case 'track':
      return onAir.entry
    case 'chat':
      return onAir.interrupted ? onAir.entry : null
    default:
      return null
  }
}

/** Only a skip ends it before its end. */
export function isDonatedOnAir(state: Pick<PlayoutState, 'onAir'>): boolean {
  return songOnAir(state)?.orderType === 'donated'
}
