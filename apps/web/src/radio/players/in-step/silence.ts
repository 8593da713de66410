import { clearAudio, onAudio, startAudio } from '../player.ts'

const SECONDS = 30
const RATE = 8000
/** Silence in samples of eight bits. */
const MIDDLE = 128

/**
 * Plays silence in an element. Systems give lock screens, media keys and the right to sound in the background to pages that
 * play an element, and tell only that element of calls and of headphones that are pulled out.
 */
export interface Silence {
  start(): Promise<'started' | 'blocked' | 'failed'>
  stop(): void
  /** Takes it out of the element. */
  close(): void
}

/**
 * @param onPaused the system paused the page, for instance for a call, or because headphones were pulled out.
 * @param onResumed the system lets it go on.
 */
export function createSilence(
  audio: HTMLAudioElement,
  { onPaused, onResumed }: { onPaused: () => void; onResumed: () => void },
): Silence {
  let url: string | null = null
  let isStarted = false
  const removeListeners = onAudio(audio, {
    pause: () => isStarted && audio.paused && onPaused(),
    play: () => !isStarted && !audio.paused && onResumed(),
  })
  return {
    start() {
      isStarted = true
      if (!url) {
        url = silenceUrl()
        audio.loop = true
        audio.src = url
      }
      return startAudio(audio)
    },
    stop() {
      isStarted = false
      audio.pause()
    },
    close() {
      isStarted = false
      removeListeners()
      audio.loop = false
      clearAudio(audio)
      if (url) URL.revokeObjectURL(url)
    },
  }
}

/** A WAV. */
function silenceUrl(): string {
  const length = SECONDS * RATE
  const bytes = new Uint8Array(44 + length).fill(MIDDLE, 44)
  const view = new DataView(bytes.buffer)
  const write = (at: number, text: string) => {
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
  }
  write(0, 'RIFF')
  view.setUint32(4, 36 + length, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, RATE, true)
  view.setUint32(28, RATE, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  write(36, 'data')
  view.setUint32(40, length, true)
  return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
}
