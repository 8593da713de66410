import type { Store } from '../../ui/store.ts'

/** The state of the listener's own sound. */
export type Sound =
  /** Nobody pressed Listen yet. */
  | { is: 'off' }
  | { is: 'paused' }
  | { is: 'starting' }
  | { is: 'playing' }
  /** The browser wants the listener to press something first. */
  | { is: 'blocked' }
  /** It broke and is retried: the station isn't ready yet, or the connection was lost. */
  | { is: 'retrying'; because: 'not-ready' | 'lost' }

/** The track that the sound itself names. */
export interface SoundTitle {
  title: string
  artist: string
}

export interface Player {
  readonly sound: Store<Sound>
  /** Starts, or resumes at the live position. Call it from a press, so that the browser allows the sound. */
  play(): void
  pause(): void
  /** How far behind the station's clock the listener hears, in seconds. */
  lagS(): number
  /** Null, or absent, where the sound names none. */
  title?(): SoundTitle | null
  close(): void
}

/** Starts an element, and tells a browser that forbids it from all that an `error` event reports too. */
export async function startAudio(audio: HTMLAudioElement): Promise<'started' | 'blocked' | 'failed'> {
  try {
    await audio.play()
    return 'started'
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotAllowedError' ? 'blocked' : 'failed'
  }
}

/** Takes the source out of an element, which ends its download. */
export function clearAudio(audio: HTMLAudioElement): void {
  audio.pause()
  audio.removeAttribute('src')
  audio.load()
}

/** Returns the function that removes the listeners. */
export function onAudio(
  audio: HTMLAudioElement,
  listeners: Partial<Record<keyof HTMLMediaElementEventMap, () => void>>,
): () => void {
  for (const [event, listener] of Object.entries(listeners)) audio.addEventListener(event, listener)
  return () => {
    for (const [event, listener] of Object.entries(listeners)) audio.removeEventListener(event, listener)
  }
}
