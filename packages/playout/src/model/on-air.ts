import type { PlayoutState, QueueEntry } from './state.ts'

/** The track on air, or the one that continues after a chat. */
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

/** True for a donated track, which only a skip ends early. */
export function isDonatedOnAir(state: Pick<PlayoutState, 'onAir'>): boolean {
  return songOnAir(state)?.orderType === 'donated'
}
