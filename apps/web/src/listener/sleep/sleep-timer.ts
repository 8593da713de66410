import { createStore, type Store } from '../../ui/store.ts'

/** When the sound ends by itself: at a moment of this device's clock (epoch ms), or with the track that plays. */
export type Sleep = { is: 'at'; atMs: number } | { is: 'with-track'; startedAtMs: number }

export const FADE_MS = 20_000
const CHECK_INTERVAL_MS = 200

/** What of the radio a sleep timer needs. */
export interface Sleeper {
  nowMs(): number
  /** The track that is heard: since when it plays, by the station's clock, and ms until its end; null without one. */
  track(): { startedAtMs: number; leftMs: number } | null
  /** Sets the loudness, 1 = as the listener chose. */
  fade(factor: number): void
  pause(): void
}

export interface SleepTimer {
  readonly sleep: Store<Sleep | null>
  /** Replaces the timer before; null cancels it and restores the loudness. */
  set(sleep: Sleep | null): void
  /** ms until the sound ends. */
  leftMs(): number
}

/** ms until the sound ends; 0 when it should have ended, also because the track is another one by now. */
export function leftOf(sleep: Sleep, { nowMs, track }: Pick<Sleeper, 'nowMs' | 'track'>): number {
  if (sleep.is === 'at') return Math.max(0, sleep.atMs - nowMs())
  const heard = track()
  // Starts are estimates, which become better while a track plays.
  const isSame = heard !== null && Math.abs(heard.startedAtMs - sleep.startedAtMs) < FADE_MS
  return isSame ? Math.max(0, heard.leftMs) : 0
}

/** The loudness so long before the end: even steps for the ear, which hears in proportions. */
export const fadeAt = (leftMs: number): number => Math.min(1, leftMs / FADE_MS) ** 2

/** Ends the sound at the right time. It compares clocks, so it keeps that time where browsers delay timers. */
export function createSleepTimer(sleeper: Sleeper): SleepTimer {
  const sleep = createStore<Sleep | null>(null)
  let timer: ReturnType<typeof setInterval> | undefined
  const leftMs = () => (sleep.value ? leftOf(sleep.value, sleeper) : 0)

  function check(): void {
    const left = leftMs()
    sleeper.fade(fadeAt(left))
    if (left > 0) return
    sleeper.pause()
    set(null)
  }

  function set(next: Sleep | null): void {
    clearInterval(timer)
    sleep.set(next)
    sleeper.fade(1)
    if (next) timer = setInterval(check, CHECK_INTERVAL_MS)
  }

  return { sleep, set, leftMs }
}
