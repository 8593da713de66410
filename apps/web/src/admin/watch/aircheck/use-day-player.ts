import { apiUrl } from '../../../api.ts'
import { useStore } from '../../../ui/store.ts'
import { useSound } from '../use-sound.ts'
import { type Day, momentAfter, pieceFrom } from './day.ts'

/** Plays a day from any moment on. */
export interface DayPlayer {
  is: 'off' | 'playing' | 'paused' | 'failed'
  /** The moment that is heard, epoch ms. */
  atMs: number
  playFrom(atMs: number): void
  /** Pauses, or goes on. */
  toggle(): void
  close(): void
}

/** The address of a piece of the recording. */
export const soundUrl = ({ from, to }: { from: number; to: number }, query: Record<string, string> = {}) =>
  apiUrl('/api/admin/aircheck/sound.mp3', { from: String(from), to: String(to), ...query })

export function useDayPlayer({ holes, until }: Pick<Day, 'holes' | 'until'>): DayPlayer {
  const playFrom = (atMs: number) => {
    const piece = pieceFrom(atMs, Math.min(until, Date.now()))
    if (piece) sound.toggle(`${piece.from} ${piece.to}`, soundUrl(piece))
    else sound.close()
  }
  const sound = useSound((id) => playFrom(Number(id.split(' ')[1])))
  const state = useStore(sound.state)
  if (state.is === 'off') return { is: 'off', atMs: 0, playFrom, toggle: () => {}, close: sound.close }
  const [from, to] = state.id.split(' ').map(Number) as [number, number]
  return {
    is: state.is,
    atMs: Math.min(momentAfter(from, state.positionS * 1000, holes), to),
    playFrom,
    toggle: () => sound.toggle(state.id, soundUrl({ from, to })),
    close: sound.close,
  }
}
