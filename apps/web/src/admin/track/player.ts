import { useEffect, useMemo } from 'preact/hooks'
import { createStore, type Store } from '../../ui/store.ts'
import { call } from '../data/client.ts'

/** Plays the file of a track for whoever edits it; listeners hear nothing of it. */
export interface Player {
  readonly state: Store<PlayerState>
  /** Seconds, some dozens of times a second while it plays. */
  readonly positionS: Store<number>
  toggle(): void
  seek(toS: number): void
  close(): void
}

export type PlayerState =
  | { is: 'idle' | 'opening' | 'failed' }
  | { is: 'playing' | 'paused'; durationS: number }

/** The file is asked for when it is first played; its address lives for minutes, and is asked for anew after that. */
export function openPlayer({ title, artist }: { title: string; artist: string }): Player {
  const state = createStore<PlayerState>({ is: 'idle' })
  const positionS = createStore(0)
  const audio = new Audio()
  audio.preload = 'auto'
  let frame = 0
  const follow = () => {
    positionS.set(audio.currentTime)
    frame = requestAnimationFrame(follow)
  }
  const settle = () => {
    cancelAnimationFrame(frame)
    positionS.set(audio.currentTime)
    if (audio.src) state.set({ is: audio.paused ? 'paused' : 'playing', durationS: audio.duration || 0 })
    if (!audio.paused) follow()
  }
  for (const name of ['play', 'pause', 'seeked', 'durationchange', 'ended'])
    audio.addEventListener(name, settle)
  audio.addEventListener('error', () => {
    cancelAnimationFrame(frame)
    audio.removeAttribute('src')
    state.set({ is: 'failed' })
  })

  const open = async () => {
    state.set({ is: 'opening' })
    try {
      const { url } = await call('GET /api/admin/lyrics/audio-preview', { query: { title, artist } })
      const fromS = positionS.value
      audio.src = url
      audio.currentTime = fromS
      await audio.play()
    } catch {
      state.set({ is: 'failed' })
    }
  }
  return {
    state,
    positionS,
    toggle() {
      const { is } = state.value
      if (is === 'idle' || is === 'failed') void open()
      else if (is === 'playing') audio.pause()
      else if (is === 'paused') audio.play().catch(() => state.set({ is: 'failed' }))
    },
    seek(toS) {
      const end = audio.duration || Number.POSITIVE_INFINITY
      positionS.set(Math.min(end, Math.max(0, toS)))
      if (audio.src) audio.currentTime = positionS.value
    },
    close() {
      cancelAnimationFrame(frame)
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
    },
  }
}

/** A player for as long as the component is shown. */
export function usePlayer({ title, artist }: { title: string; artist: string }): Player {
  const player = useMemo(() => openPlayer({ title, artist }), [title, artist])
  useEffect(() => player.close, [player])
  return player
}
