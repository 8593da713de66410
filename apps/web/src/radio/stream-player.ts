import { address } from '../api.ts'
import { createStore } from '../store.ts'
import { localNowMs } from './clock.ts'
import type { Connection } from './connection.ts'
import { type Player, retryDelayMs, type Sound, startAudio } from './player.ts'

const CHECK_EVERY_MS = 1000
const STALLED_AFTER_MS = 5000
/** How much of a new measurement goes into the lag that is shown. */
const SMOOTHING = 0.3

/** The lag after another measurement, in seconds: what waits in the buffer and half the way from the station. */
export function smoothLag(lagS: number | null, bufferedAheadS: number, roundTripMs: number): number {
  const measuredS = bufferedAheadS + roundTripMs / 2000
  return lagS === null ? measuredS : lagS + SMOOTHING * (measuredS - lagS)
}

/** Whether a stream that should sound has stood still for too long. */
export const isStalled = (nowMs: number, advancedAtMs: number): boolean =>
  nowMs - advancedAtMs > STALLED_AFTER_MS

/** Stream mode: the broadcast itself, as everybody hears it. */
export function createStreamPlayer(audio: HTMLAudioElement, connection: Connection): Player {
  const sound = createStore<Sound>({ is: 'off' })
  let isWanted = false
  let line = 0
  let attempt = 0
  let advancedAtMs = 0
  let lagS: number | null = null
  let retryTimer: ReturnType<typeof setTimeout> | undefined

  async function open(): Promise<void> {
    const mine = ++line
    clearTimeout(retryTimer)
    advancedAtMs = localNowMs()
    lagS = null
    try {
      const token = connection.artPass.peek() ?? (await connection.artPass.get())
      if (mine !== line) return
      audio.src = address('/api/stream', { token })
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
    const token = await connection.artPass.get().catch(() => '')
    const answer = fetch(address('/api/stream', { token }), { signal: stop.signal })
    const status = await answer.then((response) => response.status).catch(() => 0)
    stop.abort()
    if (mine !== line) return
    if (status === 401) await connection.artPass.renew().catch(() => {})
    again(status === 503 ? 'not-ready' : 'lost')
  }

  function measure(): void {
    if (!isWanted) return
    if (sound.value.is !== 'retrying' && isStalled(localNowMs(), advancedAtMs)) {
      again('lost')
      return
    }
    const { buffered } = audio
    if (sound.value.is !== 'playing' || buffered.length === 0) return
    const aheadS = Math.max(0, buffered.end(buffered.length - 1) - audio.currentTime)
    lagS = smoothLag(lagS, aheadS, connection.roundTripMs())
    if (document.visibilityState === 'visible') void connection.askStreamPosition()
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
        if (isWanted) sound.set({ is: 'playing' })
      },
    ],
    ['waiting', () => isWanted && sound.set({ is: 'starting' })],
    ['ended', () => again('lost')],
    ['error', () => void failed()],
  ]
  for (const [name, heard] of events) audio.addEventListener(name, heard)
  const timer = setInterval(measure, CHECK_EVERY_MS)

  return {
    sound,
    lagS: () => (sound.value.is === 'playing' ? (lagS ?? 0) : 0),
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
