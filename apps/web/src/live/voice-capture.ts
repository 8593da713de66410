/** Loudness of the speaker's own voice, as parts of full scale. */
export interface Level {
  peak: number
  rms: number
}

/** The device's sound while the microphone is open, muted at first. */
export interface VoiceCapture {
  /** The voice to record: behind its filters, or unfiltered where the browser lacks them. */
  readonly voice: MediaStream
  mute(isMuted: boolean): void
  stop(): void
}

const LEVEL_INTERVAL_MS = 33
export const SILENCE: Level = { peak: 0, rms: 0 }

/**
 * Opens the microphone.
 *
 * @param onLevel called 30 times a second.
 * @param onEnded called when the device goes away.
 * @throws {DOMException} `NotFoundError` when there is none, other names when the browser refuses.
 */
export async function captureVoice(
  onLevel: (level: Level) => void,
  onEnded: () => void,
): Promise<VoiceCapture> {
  const device = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, autoGainControl: true, noiseSuppression: true, channelCount: 1 },
  })
  const mute = (isMuted: boolean) => {
    for (const track of device.getAudioTracks()) track.enabled = !isMuted
  }
  mute(true)
  const context = new AudioContext()
  void context.resume()
  const source = context.createMediaStreamSource(device)
  const levelTimer = watchLevel(context, source, onLevel)
  device.getAudioTracks()[0]?.addEventListener('ended', onEnded)
  return {
    voice: filtered(context, source) ?? device,
    mute,
    stop() {
      clearInterval(levelTimer)
      for (const track of device.getTracks()) track.stop()
      void context.close()
    },
  }
}

function watchLevel(context: AudioContext, source: AudioNode, onLevel: (level: Level) => void) {
  const analyser = context.createAnalyser()
  analyser.fftSize = 2048
  source.connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    let [peak, sum] = [0, 0]
    for (const sample of samples) {
      peak = Math.max(peak, Math.abs(sample))
      sum += sample * sample
    }
    onLevel({ peak: Math.min(1, peak), rms: Math.min(1, Math.sqrt(sum / samples.length)) })
  }, LEVEL_INTERVAL_MS)
}

/** The voice without rumble, and more even; null where the browser can't do that. */
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
