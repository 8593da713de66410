import { advance, type PlayoutState, soundStartMs } from '@solstice/playout'
import { chunkEndMs, type StationClock, type Unsubscribe } from '@solstice/station'
import type { AirMirror } from '../stream/mirror.ts'

/** The engine runs at most this far ahead of the sound; a start further ahead is shown at once. */
const MAX_AHEAD_MS = 1_000

/** Chunks of half a second arrive about when they are due; a newest chunk that ended longer ago means that none come. */
const SOUND_LATE_MS = 1_000

/** The air as listeners see it: a track that starts is shown only when its first sample is due. */
export interface AudibleAir extends Pick<AirMirror, 'state' | 'onState'> {
  /** The air of this moment, also while no worker is alive; null before any state came. */
  now(): PlayoutState | null
  /**
   * The moment whose air is shown at `nowMs`: that moment itself, but in stream mode never later than the end of the sound.
   * While no sound comes players still play their buffers, and the next worker catches up on what is missing.
   */
  audibleMs(nowMs: number): number
  close(): void
}

export function createAudibleAir(
  mirror: Pick<AirMirror, 'state' | 'onState' | 'newestChunk'>,
  clock: StationClock,
): AudibleAir {
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
    if (aheadMs <= 0 || aheadMs > MAX_AHEAD_MS) show(state)
    else timer = setTimeout(() => show(state), aheadMs)
  })

  const heardMs = (nowMs: number) => {
    const { newestChunk } = mirror
    const isStream = shown?.pace === 'sound' && newestChunk !== null
    return isStream ? Math.min(nowMs, chunkEndMs(newestChunk) + SOUND_LATE_MS) : nowMs
  }

  return {
    get state() {
      return shown
    },
    now: () => shown && advance(shown, heardMs(clock.nowMs())).state,
    audibleMs: heardMs,
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
