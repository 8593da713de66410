import { readStored, writeStored } from '../ui/browser-storage.ts'
import { createStore, type Store } from '../ui/store.ts'
import { createAmplifier } from './players/amplifier.ts'

export interface Volume {
  /** 0 to 1. */
  level: number
  isMuted: boolean
}

/** The listener's volume, remembered for the next visit, on top of the loudness of the track. */
export interface VolumeControl {
  readonly volume: Store<Volume>
  /** The amplitude that the listener chose, 0 to 1. */
  readonly loudness: Store<number>
  set(change: Partial<Volume>): void
  /** Plays softer for a while, without a change of the volume; 1 = as loud as chosen. */
  fade(factor: number): void
  /** How many dB louder than its file the track is played. */
  amplify(gainDb: number): void
}

const VOLUME = 'radio_volume'
const MUTED = 'radio_muted'
export const DEFAULT_LEVEL = 0.8

/** @param mayRedirect as in `createAmplifier` */
export function createVolume(audio: HTMLAudioElement, mayRedirect: () => boolean): VolumeControl {
  const volume = createStore(storedVolume())
  const setLoudness = createAmplifier(audio, mayRedirect)
  const loudness = createStore(0)
  let gainDb = 0
  let faded = 1

  function apply(): void {
    const { level, isMuted } = volume.value
    // Loudness is perceived in proportions: half way on the control is to sound half as loud.
    const amplitude = level ** 2 * faded
    setLoudness(amplitude * 10 ** (gainDb / 20))
    audio.muted = isMuted
    loudness.set(isMuted ? 0 : amplitude)
  }
  apply()

  return {
    volume,
    loudness,
    set(change) {
      const next = { ...volume.value, ...change }
      next.level = Math.max(0, Math.min(1, next.level))
      volume.set(next)
      apply()
      writeStored(VOLUME, String(next.level))
      writeStored(MUTED, String(next.isMuted))
    },
    fade(factor) {
      if (factor === faded) return
      faded = factor
      apply()
    },
    amplify(nextDb) {
      if (nextDb === gainDb) return
      gainDb = nextDb
      apply()
    },
  }
}

function storedVolume(): Volume {
  const level = Number(readStored(VOLUME) ?? DEFAULT_LEVEL)
  return {
    level: level >= 0 && level <= 1 ? level : DEFAULT_LEVEL,
    isMuted: readStored(MUTED) === 'true',
  }
}
