import { streamBurstMs } from '@solstice/contracts'
import { apiUrl } from '../../api.ts'
import { createStore } from '../../ui/store.ts'
import type { Connection } from '../connection/connection.ts'
import { localNowMs } from '../connection/station-clock.ts'
import { type Player, retryDelayMs, type Sound, startAudio } from './player.ts'

const CHECK_EVERY_MS = 1000
const STALLED_AFTER_MS = 5000
const PAUSE_SETTLES_MS = 300
/** How much of a new measurement goes into the lag that is shown. */
const SMOOTHING = 0.3
/** Sooner than the station carries a slow listener to the live edge, which the element would not notice. */
const FAR_BEHIND_S = 6

/** What tells how far behind the station the listener hears; times in ms of the local clock. */
export interface StreamProgress {
  /** When the station answered with the burst. */
  openedAtMs: number
  nowMs: number
  /** Seconds of sound that the element has played since. */
  playedS: number
  /** Seconds that the element has in store. */
  bufferedAheadS: number
  roundTripMs: number
}

/**
 * The lag in seconds. The stream began a burst before the moment it was opened, and what was not played since is still
 * to come. That counts what waits in the network too, of which an element's own buffer shows only the last part.
 */
export function lagOf(progress: StreamProgress): number {
  const sinceOpenS = (progress.nowMs - progress.openedAtMs) / 1000
  const unplayedS = streamBurstMs / 1000 + sinceOpenS - progress.playedS
  return Math.max(unplayedS, progress.bufferedAheadS + progress.roundTripMs / 2000)
}

/** The lag that is shown after another measurement. */
export const smoothLag = (shownS: number | null, measuredS: number): number =>
  shownS === null ? measuredS : shownS + SMOOTHING * (measuredS - shownS)

/** Whether small halts have added up so far that beginning anew at the live edge is better. */
export const isFarBehind = (lagS: number): boolean => lagS > streamBurstMs / 1000 + FAR_BEHIND_S

/** Whether a stream that should sound has stood still for too long. */
export const isStalled = (nowMs: number, advancedAtMs: number): boolean =>
  nowMs - advancedAtMs > STALLED_AFTER_MS

/** Stream mode: the broadcast itself, as everybody hears it. */
export function createStreamPlayer(audio: HTMLAudioElement, connection: Connection): Player {
  const sound = createStore<Sound>({ is: 'off' })
  let isWanted = false
  let line = 0
  let attempt = 0
  let openedAtMs = 0
  let advancedAtMs = 0
  let lagS: number | null = null
  let retryTimer: ReturnType<typeof setTimeout> | undefined

  async function open(): Promise<void> {
    const mine = ++line
    clearTimeout(retryTimer)
    lagS = null
    try {
      const token = connection.artToken.peek() ?? (await connection.artToken.get())
      if (mine !== line) return
      advancedAtMs = localNowMs()
      openedAtMs = advancedAtMs + connection.roundTripMs() / 2
      audio.src = apiUrl('/api/stream', { token })
      const result = await startAudio(audio)
      if (mine === line && result === 'blocked') {
        hangUp()
        sound.set({ is: 'blocked' })
      }
    } catch {
      if (mine === line) again('lost')
    }
  }

  function hangUp(): void {
    isWanted = false
    line++
    clearTimeout(retryTimer)
    drop()
  }

  function drop(): void {
    lagS = null
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
  }

  function again(because: 'not-ready' | 'lost'): void {
    if (!isWanted) return
    line++
    drop()
    sound.set({ is: 'retrying', because })
    clearTimeout(retryTimer)
    retryTimer = setTimeout(() => void open(), retryDelayMs(attempt++, Math.random()))
  }

  /** An element does not say why it failed; the station does. */
  async function failed(): Promise<void> {
    if (!isWanted || !audio.hasAttribute('src')) return
    const mine = line
    const stop = new AbortController()
    const token = await connection.artToken.get().catch(() => '')
    const answer = fetch(apiUrl('/api/stream', { token }), { signal: stop.signal })
    const status = await answer.then((response) => response.status).catch(() => 0)
    stop.abort()
    if (mine !== line) return
    if (status === 401) await connection.artToken.renew().catch(() => {})
    again(status === 503 ? 'not-ready' : 'lost')
  }

  function measure(): void {
    if (!isWanted) return
    const isOpen = audio.hasAttribute('src')
    if (isOpen && isStalled(localNowMs(), advancedAtMs)) {
      again('lost')
      return
    }
    const { buffered } = audio
    if (sound.value.is !== 'playing' || buffered.length === 0) return
    const aheadS = Math.max(0, buffered.end(buffered.length - 1) - audio.currentTime)
    const measuredS = lagOf({
      openedAtMs,
      nowMs: localNowMs(),
      playedS: audio.currentTime,
      bufferedAheadS: aheadS,
      roundTripMs: connection.roundTripMs(),
    })
    lagS = smoothLag(lagS, measuredS)
    if (isFarBehind(lagS)) {
      void open()
      return
    }
    if (document.visibilityState === 'visible') void connection.measurePosition()
  }

  /** The system or the browser paused, when headphones were pulled out for instance. */
  function pausedOutside(): void {
    const mine = line
    const isPaused = () =>
      mine === line && isWanted && !audio.ended && audio.paused && audio.hasAttribute('src')
    if (!isPaused()) return
    // A connection that broke looks the same at first: the element pauses, and only then says that it ended.
    setTimeout(() => {
      if (!isPaused()) return
      hangUp()
      sound.set({ is: 'paused' })
    }, PAUSE_SETTLES_MS)
  }

  const events: [string, () => void][] = [
    [
      'timeupdate',
      () => {
        advancedAtMs = localNowMs()
      },
    ],
    [
      'playing',
      () => {
        attempt = 0
        if (!isWanted) return
        sound.set({ is: 'playing' })
        measure()
      },
    ],
    ['pause', pausedOutside],
    ['waiting', () => isWanted && sound.set({ is: 'starting' })],
    ['ended', () => again('lost')],
    ['error', () => void failed()],
  ]
  for (const [name, heard] of events) audio.addEventListener(name, heard)
  const timer = setInterval(measure, CHECK_EVERY_MS)

  return {
    sound,
    lagS: () => lagS ?? 0,
    play() {
      isWanted = true
      attempt = 0
      sound.set({ is: 'starting' })
      void open()
    },
    pause() {
      hangUp()
      sound.set({ is: 'paused' })
    },
    close() {
      hangUp()
      clearInterval(timer)
      for (const [name, heard] of events) audio.removeEventListener(name, heard)
    },
  }
}
