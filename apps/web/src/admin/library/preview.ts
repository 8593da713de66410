import type { LibraryRow } from '@solstice/contracts'
import { apiUrl } from '../../api.ts'
import { createStore, type Store } from '../../ui/store.ts'

export type PreviewTrack = Pick<LibraryRow, 'id' | 'title' | 'artist' | 'duration'>

export type PreviewState =
  | { is: 'off' }
  | { is: 'playing' | 'paused' | 'failed'; track: PreviewTrack; positionS: number; durationS: number }

/** Plays a track to this admin alone. */
export interface Preview {
  readonly state: Store<PreviewState>
  /** Id of the track that plays. */
  readonly playing: Store<string | null>
  /** Plays a track from its beginning; the one that plays is paused, the paused one goes on. */
  toggle(track: PreviewTrack): void
  seek(toS: number): void
  close(): void
}

export function createPreview(audio: HTMLAudioElement = new Audio()): Preview {
  const state = createStore<PreviewState>({ is: 'off' })
  const playing = createStore<string | null>(null)
  state.subscribe((value) => playing.set(value.is === 'playing' ? value.track.id : null))
  const update = (is?: 'playing' | 'paused' | 'failed') => {
    const { value } = state
    if (value.is === 'off') return
    const { duration, currentTime } = audio
    const durationS = Number.isFinite(duration) ? duration : value.durationS
    state.set({ ...value, is: is ?? value.is, positionS: currentTime, durationS })
  }
  audio.addEventListener('timeupdate', () => update())
  audio.addEventListener('durationchange', () => update())
  audio.addEventListener('playing', () => update('playing'))
  audio.addEventListener('pause', () => update('paused'))
  audio.addEventListener('error', () => update('failed'))
  // A newer track aborts the older one's start; other failures are told by `error`.
  const play = () => void audio.play().catch(() => {})
  return {
    state,
    playing,
    toggle(track) {
      const { value } = state
      if (value.is !== 'off' && value.is !== 'failed' && value.track.id === track.id) {
        if (audio.paused) play()
        else audio.pause()
        return
      }
      state.set({ is: 'playing', track, positionS: 0, durationS: track.duration ?? 0 })
      audio.src = apiUrl('/api/audio/stream/admin', { track: track.id })
      play()
    },
    seek(toS) {
      audio.currentTime = toS
      update()
    },
    close() {
      state.set({ is: 'off' })
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
    },
  }
}
