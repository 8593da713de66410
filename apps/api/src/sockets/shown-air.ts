import { advance, type PlayoutState, soundStartMs } from '@solstice/playout'
import type { StationClock, Unsubscribe } from '@solstice/station'
import type { AirMirror } from '../stream/air-mirror.ts'

/** The engine is so little ahead of what is heard; what seems to be further ahead is shown at once. */
const MOST_AHEAD_MS = 1_000

/** The air as people are shown it: what follows a skip, or the end of a track, only when its first sample is due. */
export interface ShownAir extends Pick<AirMirror, 'state' | 'onState'> {
  /** The air of this moment, also while no worker is alive; null before any state came. */
  now(): PlayoutState | null
  close(): void
}

export function createShownAir(mirror: Pick<AirMirror, 'state' | 'onState'>, clock: StationClock): ShownAir {
  const listeners = new Set<Parameters<AirMirror['onState']>[0]>()
  let shown = mirror.state
  let timer: NodeJS.Timeout | undefined

  const show = (state: PlayoutState) => {
    const before = shown
    shown = state
    for (const listener of listeners) listener(state, before)
  }
  const unfollow = mirror.onState((state) => {
    clearTimeout(timer)
    const startMs = soundStartMs(state)
    const isNew = shown !== null && startMs !== soundStartMs(shown)
    const aheadMs = isNew ? Math.ceil(startMs - clock.nowMs()) : 0
    if (aheadMs <= 0 || aheadMs > MOST_AHEAD_MS) show(state)
    else timer = setTimeout(() => show(state), aheadMs)
  })

  return {
    get state() {
      return shown
    },
    now: () => shown && advance(shown, clock.nowMs()).state,
    onState(listener): Unsubscribe {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearTimeout(timer)
      unfollow()
    },
  }
}
