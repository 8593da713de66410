import type { Store } from '../../ui/store.ts'

/** What the listener's own sound does. */
export type Sound =
  /** Nobody pressed Listen yet. */
  | { is: 'off' }
  | { is: 'paused' }
  | { is: 'starting' }
  | { is: 'playing' }
  /** The browser wants the listener to press something first. */
  | { is: 'blocked' }
  /** It broke and is tried again by itself; the station is not ready yet, or the line is lost. */
  | { is: 'retrying'; because: 'not-ready' | 'lost' }

export interface Player {
  readonly sound: Store<Sound>
  /** Begins, or goes on at the live position. Called from a press, so that the browser allows the sound. */
  play(): void
  pause(): void
  /** How far behind the station's clock the listener hears, in seconds. */
  lagS(): number
  close(): void
}

/** How long to wait before try number `attempt` (from 0), so that a crowd does not come back in one moment. */
export function retryDelayMs(attempt: number, chance: number): number {
  const fullMs = Math.min(15_000, 500 * 2 ** attempt)
  return Math.round(fullMs * (0.75 + chance / 2))
}

/** Starts an element; tells apart a browser that forbids it and everything that an `error` event reports too. */
export async function startAudio(audio: HTMLAudioElement): Promise<'started' | 'blocked' | 'failed'> {
  try {
    await audio.play()
    return 'started'
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotAllowedError' ? 'blocked' : 'failed'
  }
}
