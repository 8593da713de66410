/**
 * Sets the loudness of an element: 1 = as loud as its file. Beyond that the sound is led through Web Audio, and stays so.
 * Where that cannot be (a file of another origin, a browser that does not let pages decide on loudness) 1 is the most.
 *
 * @param isLedAway whether an address of ours may lead to a file of another origin.
 */
export function createAmplifier(audio: HTMLAudioElement, isLedAway: () => boolean): (level: number) => void {
  let gain: GainNode | null = null
  let context: AudioContext | null = null
  let boost = 1

  const route = () => {
    if (gain || context?.state !== 'running') return
    gain = context.createGain()
    gain.gain.value = boost
    context.createMediaElementSource(audio).connect(gain).connect(context.destination)
  }

  /** Only a context that runs takes the sound over: in one that does not, it would be lost. */
  const open = () => {
    if (context || isLedAway() || !isOwn(audio) || !isObeyed(audio)) return
    const opened = new AudioContext()
    context = opened
    opened.addEventListener('statechange', () => {
      if (opened.state === 'running') route()
      else if (gain) void opened.resume().catch(() => {})
    })
    route()
    void opened.resume().catch(() => {})
  }

  return (level) => {
    boost = Math.max(1, level)
    audio.volume = Math.min(1, level)
    if (boost > 1) open()
    if (gain) gain.gain.value = boost
  }
}

/** A file of another origin would be silent in Web Audio. */
function isOwn(audio: HTMLAudioElement): boolean {
  return audio.src !== '' && new URL(audio.src).origin === location.origin
}

/** Some systems leave loudness to the buttons of the device, and stop Web Audio when the screen is locked. */
function isObeyed(audio: HTMLAudioElement): boolean {
  const { volume } = audio
  audio.volume = 0.5
  const isSet = audio.volume === 0.5
  audio.volume = volume
  return isSet
}
