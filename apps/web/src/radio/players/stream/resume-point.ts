import { localNowMs } from '../../connection/station-clock.ts'
import type { LagMeter } from './lag.ts'

/** Where the listener was in the broadcast when it broke, so that it can go on there. */
export interface ResumePoint {
  /** Keeps where the listener is now, if that is known. */
  mark(): void
  clear(): void
  /** Tells how far behind the station it is, in seconds, more with every second; null when there is none, or too far behind. */
  lagS(): (() => number) | null
}

export function createResumePoint(lag: Pick<LagMeter, 'measure' | 'isFarBehind'>): ResumePoint {
  let marked: { lagS: number; atMs: number } | null = null
  return {
    mark() {
      const lagS = lag.measure()
      if (lagS !== null) marked = { lagS, atMs: localNowMs() }
    },
    clear() {
      marked = null
    },
    lagS() {
      if (!marked) return null
      const { lagS, atMs } = marked
      const behindS = () => lagS + (localNowMs() - atMs) / 1000
      return lag.isFarBehind(behindS()) ? null : behindS
    },
  }
}
