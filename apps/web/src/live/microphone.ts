import { createStore, type Store } from '../ui/store.ts'
import { captureVoice, type Level, SILENCE, type VoiceCapture } from './voice-capture.ts'

/** The availability of the microphone: usable, or the reason why not. */
export type MicrophoneState = 'closed' | 'asking' | 'open' | 'denied' | 'missing' | 'unsupported'

/** This browser's microphone: silent and unrecorded at first. */
export interface Microphone {
  readonly state: Store<MicrophoneState>
  readonly level: Store<Level>
  /** Asks the browser for it, unless it is open. Resolves with whether it can be used. */
  open(): Promise<boolean>
  /** Records from now on, chunk by chunk, in order. */
  record(onChunk: (chunk: ArrayBuffer) => void): void
  /** Starts a new recording, with its own header; does nothing while none runs. */
  restart(): void
  /** Ends the recording; the microphone stays open, and silent. */
  pause(): void
  /** Gives the microphone back to the browser. */
  close(): void
}

const TYPE = 'audio/webm;codecs=opus'
const BITS_PER_SECOND = 64_000
/** Short, since each chunk delays the voice by its length. */
const CHUNK_MS = 100

/** True when this browser can record a microphone at all. */
function canRecord(): boolean {
  return (
    typeof MediaRecorder !== 'undefined' &&
    MediaRecorder.isTypeSupported(TYPE) &&
    Boolean(navigator.mediaDevices?.getUserMedia)
  )
}

export function createMicrophone(): Microphone {
  const state = createStore<MicrophoneState>(canRecord() ? 'closed' : 'unsupported')
  const level = createStore<Level>(SILENCE)
  let capture: VoiceCapture | null = null
  let recorder: MediaRecorder | null = null
  let onChunk: ((chunk: ArrayBuffer) => void) | null = null
  /** Blobs are read one after the other, which keeps their order. */
  let delivered = Promise.resolve()

  function startRecorder(): void {
    if (!capture) return
    const own = new MediaRecorder(capture.voice, { mimeType: TYPE, audioBitsPerSecond: BITS_PER_SECOND })
    own.addEventListener('dataavailable', ({ data }) => {
      if (data.size === 0) return
      delivered = delivered.then(async () => {
        const chunk = await data.arrayBuffer()
        // The last chunk comes after a recording has ended; it must not open the next one.
        if (own === recorder) onChunk?.(chunk)
      })
    })
    own.start(CHUNK_MS)
    recorder = own
  }

  function stopRecorder(): void {
    if (recorder?.state !== 'inactive') recorder?.stop()
    recorder = null
  }

  function close(): void {
    stopRecorder()
    onChunk = null
    capture?.stop()
    capture = null
    level.set(SILENCE)
    if (state.value !== 'unsupported') state.set('closed')
  }

  return {
    state,
    level,
    async open() {
      if (state.value === 'open') return true
      if (!canRecord()) return false
      state.set('asking')
      try {
        capture = await captureVoice((heard) => level.set(recorder ? heard : SILENCE), close)
      } catch (error) {
        const isMissing = error instanceof DOMException && error.name === 'NotFoundError'
        state.set(isMissing ? 'missing' : 'denied')
        return false
      }
      state.set('open')
      return true
    },
    record(listener) {
      stopRecorder()
      onChunk = listener
      capture?.mute(false)
      startRecorder()
    },
    restart() {
      if (!recorder) return
      stopRecorder()
      startRecorder()
    },
    pause() {
      stopRecorder()
      onChunk = null
      capture?.mute(true)
    },
    close,
  }
}
