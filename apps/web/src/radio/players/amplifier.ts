import { isElsewhere } from './elsewhere.ts'

/**
 * Sets the loudness of an element: 1 = as loud as its file. Beyond that the sound is routed through Web Audio, and stays
 * there. Where that is impossible (files of another origin, browsers that leave loudness to the device, sound that another device
 * plays) 1 is the most.
 *
 * @param mayRedirect whether the station may redirect to a file of another origin.
 */
export function createAmplifier(
  audio: HTMLAudioElement,
  mayRedirect: () => boolean,
): (level: number) => void {
  let gain: GainNode | null = null
  let context: AudioContext | null = null
  let boost = 1

  /** Only a running context may take the sound over: in a suspended one it would be lost. */
  const route = () => {
    if (gain || context?.state !== 'running') return
    gain = context.createGain()
    gain.gain.value = boost
    context.createMediaElementSource(audio).connect(gain).connect(context.destination)
  }

  const open = () => {
    if (context || isElsewhere(audio) || mayRedirect() || !isSameOrigin(audio) || !canSetVolume(audio)) return
    const opened = openContext()
    if (!opened) return
    context = opened
    opened.addEventListener('statechange', () => {
      if (opened.state === 'running') route()
      // One that the system interrupts it resumes itself.
      else if (gain && opened.state === 'suspended') void opened.resume().catch(() => {})
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

/** Without a way through Web Audio a track is at most as loud as its file. */
function openContext(): AudioContext | null {
  try {
    return new AudioContext()
  } catch {
    return null
  }
}

/** A file of another origin would be silent in Web Audio. */
function isSameOrigin(audio: HTMLAudioElement): boolean {
  return audio.src !== '' && new URL(audio.src).origin === location.origin
}

/** Some systems leave loudness to the device's buttons, and stop Web Audio while the screen is locked. */
export function canSetVolume(audio: HTMLAudioElement): boolean {
  const { volume } = audio
  audio.volume = 0.5
  const isSet = audio.volume === 0.5
  audio.volume = volume
  return isSet
}
