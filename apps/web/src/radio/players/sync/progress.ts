import { localNowMs } from '../../connection/station-clock.ts'

/** Notices an element whose decoder is dead: it claims to play, and its position doesn't move. */
export interface ProgressWatch {
  /** Call it several times a second while the element should play. True once, after too long without progress. */
  isStalled(): boolean
  reset(): void
}

const STALLED_AFTER_MS = 8000
/** A page that didn't look for longer was frozen, and so was the element. */
const FROZEN_MS = 3000

export function createProgressWatch(
  audio: Pick<HTMLAudioElement, 'currentTime' | 'paused' | 'ended' | 'error'>,
  nowMs: () => number = localNowMs,
): ProgressWatch {
  let positionS = Number.NaN
  let movedAtMs = 0
  let lookedAtMs = 0
  const reset = () => {
    positionS = Number.NaN
  }
  return {
    reset,
    isStalled() {
      const atMs = nowMs()
      const isIdle = audio.paused || audio.ended || audio.error !== null || atMs - lookedAtMs > FROZEN_MS
      if (isIdle || audio.currentTime !== positionS) {
        positionS = audio.currentTime
        movedAtMs = atMs
      }
      lookedAtMs = atMs
      if (atMs - movedAtMs < STALLED_AFTER_MS) return false
      movedAtMs = atMs
      return true
    },
  }
}
