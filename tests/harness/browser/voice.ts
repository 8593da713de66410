/**
 * Runs in a page before its scripts: its microphone is a tone of this amplitude, which `beLoud` changes. The one that Chromium
 * invents is at full scale, and silent most of the time.
 */
export function giveVoice(amplitude: number): void {
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext()
    const voice = new GainNode(context, { gain: amplitude })
    const out = new MediaStreamAudioDestinationNode(context)
    const tone = new OscillatorNode(context, { frequency: 440 })
    tone.connect(voice).connect(out)
    tone.start()
    Object.assign(window, { voice })
    return out.stream
  }
}

/** Runs in a page that `giveVoice` prepared. */
export function beLoud(amplitude: number): void {
  ;(window as Window & { voice?: GainNode }).voice!.gain.value = amplitude
}
