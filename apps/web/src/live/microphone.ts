import { createStore, type Store } from '../ui/store.ts'

/** Why there is no microphone, or that there is one. */
export type MicrophoneState = 'closed' | 'asking' | 'open' | 'denied' | 'missing' | 'unsupported'

/** Of the own voice, in parts of full scale. */
export interface Level {
  peak: number
  rms: number
}

/** The microphone of this browser: silent and unrecorded until told otherwise. */
export interface Microphone {
  readonly state: Store<MicrophoneState>
  readonly level: Store<Level>
  /** Asks for it, where that was not done yet. Resolves with whether it can be used. */
  open(): Promise<boolean>
  /** Records from now on, piece by piece, in order. */
  record(onPiece: (piece: ArrayBuffer) => void): void
  /** Begins a new recording, with a header of its own; nothing when none runs. */
  restart(): void
  /** Ends the recording; the microphone stays open, and silent. */
  pause(): void
  /** Gives the microphone back to the browser. */
  close(): void
}

const TYPE = 'audio/webm;codecs=opus'
const BITS_PER_SECOND = 64_000
/** Short pieces, so that a voice is soon on the air. */
const PIECE_MS = 100
const LEVEL_EVERY_MS = 33
const SILENT: Level = { peak: 0, rms: 0 }

/** Whether this browser can record a microphone at all. */
export function canRecord(): boolean {
  return (
    typeof MediaRecorder !== 'undefined' &&
    MediaRecorder.isTypeSupported(TYPE) &&
    Boolean(navigator.mediaDevices?.getUserMedia)
  )
}

export function createMicrophone(): Microphone {
  const state = createStore<MicrophoneState>(canRecord() ? 'closed' : 'unsupported')
  const level = createStore<Level>(SILENT)
  let raw: MediaStream | null = null
  let context: AudioContext | null = null
  /** What is recorded: the voice behind its filters, or as it is where those cannot be had. */
  let voice: MediaStream | null = null
  let recorder: MediaRecorder | null = null
  let take: ((piece: ArrayBuffer) => void) | null = null
  let levelTimer: ReturnType<typeof setInterval> | undefined
  /** Pieces become bytes one after the other. */
  let handedOver = Promise.resolve()

  async function open(): Promise<boolean> {
    if (state.value === 'open') return true
    if (!canRecord()) return false
    state.set('asking')
    try {
      raw = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: true, autoGainControl: true, noiseSuppression: true, channelCount: 1 },
      })
    } catch (error) {
      const isMissing = error instanceof DOMException && error.name === 'NotFoundError'
      state.set(isMissing ? 'missing' : 'denied')
      return false
    }
    hush(true)
    context = new AudioContext()
    void context.resume()
    const source = context.createMediaStreamSource(raw)
    voice = filtered(context, source) ?? raw
    watchLevel(context, source)
    raw.getAudioTracks()[0]?.addEventListener('ended', close)
    state.set('open')
    return true
  }

  function hush(isSilent: boolean): void {
    for (const track of raw?.getAudioTracks() ?? []) track.enabled = !isSilent
  }

  function watchLevel(context: AudioContext, source: AudioNode): void {
    const analyser = context.createAnalyser()
    analyser.fftSize = 2048
    source.connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    levelTimer = setInterval(() => {
      if (!recorder) return level.set(SILENT)
      analyser.getFloatTimeDomainData(samples)
      let [peak, sum] = [0, 0]
      for (const sample of samples) {
        peak = Math.max(peak, Math.abs(sample))
        sum += sample * sample
      }
      level.set({ peak: Math.min(1, peak), rms: Math.min(1, Math.sqrt(sum / samples.length)) })
    }, LEVEL_EVERY_MS)
  }

  function begin(): void {
    if (!voice) return
    const own = new MediaRecorder(voice, { mimeType: TYPE, audioBitsPerSecond: BITS_PER_SECOND })
    own.addEventListener('dataavailable', ({ data }) => {
      if (data.size === 0) return
      handedOver = handedOver.then(async () => {
        const piece = await data.arrayBuffer()
        // The last piece comes when a recording has ended; the next one shall not begin with it.
        if (own === recorder) take?.(piece)
      })
    })
    own.start(PIECE_MS)
    recorder = own
  }

  function end(): void {
    if (recorder?.state !== 'inactive') recorder?.stop()
    recorder = null
  }

  function close(): void {
    end()
    take = null
    clearInterval(levelTimer)
    for (const track of raw?.getTracks() ?? []) track.stop()
    void context?.close()
    raw = voice = context = null
    level.set(SILENT)
    if (state.value !== 'unsupported') state.set('closed')
  }

  return {
    state,
    level,
    open,
    record(onPiece) {
      end()
      take = onPiece
      hush(false)
      begin()
    },
    restart() {
      if (!recorder) return
      end()
      begin()
    },
    pause() {
      end()
      take = null
      hush(true)
    },
    close,
  }
}

/** The voice without rumble, and more even. null where the browser cannot do that. */
function filtered(context: AudioContext, source: AudioNode): MediaStream | null {
  try {
    const highpass = new BiquadFilterNode(context, { type: 'highpass', frequency: 100 })
    const compressor = new DynamicsCompressorNode(context, {
      threshold: -24,
      knee: 12,
      ratio: 6,
      attack: 0.003,
      release: 0.15,
    })
    const out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
    source.connect(highpass).connect(compressor).connect(out)
    return out.stream
  } catch {
    return null
  }
}
