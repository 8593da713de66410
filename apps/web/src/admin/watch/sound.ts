import { createStore, type Store } from '../../ui/store.ts'

export type SoundState =
  | { is: 'off' }
  | { is: 'playing' | 'paused' | 'failed'; id: string; positionS: number }

/** A sound of the station that this admin alone hears: one at a time. */
export interface Sound {
  readonly state: Store<SoundState>
  /** Plays a sound from its beginning; the one that plays is paused, the paused one goes on. */
  toggle(id: string, url: string): void
  close(): void
}

/** @param onEnded called when a sound was played to its end. */
export function createSound(onEnded: (id: string) => void, audio: HTMLAudioElement = new Audio()): Sound {
  const state = createStore<SoundState>({ is: 'off' })
  const update = (is?: 'playing' | 'paused' | 'failed') => {
    const { value } = state
    if (value.is !== 'off') state.set({ ...value, is: is ?? value.is, positionS: audio.currentTime })
  }
  audio.addEventListener('timeupdate', () => update())
  audio.addEventListener('playing', () => update('playing'))
  audio.addEventListener('pause', () => update('paused'))
  audio.addEventListener('error', () => update('failed'))
  audio.addEventListener('ended', () => {
    const { value } = state
    if (value.is !== 'off') onEnded(value.id)
  })
  // A newer sound aborts the older one's start; other failures are told by `error`.
  const play = () => void audio.play().catch(() => {})
  return {
    state,
    toggle(id, url) {
      const { value } = state
      if (value.is !== 'off' && value.is !== 'failed' && value.id === id) {
        if (audio.paused) play()
        else audio.pause()
        return
      }
      state.set({ is: 'playing', id, positionS: 0 })
      audio.src = url
      play()
    },
    close() {
      state.set({ is: 'off' })
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
    },
  }
}
