import { countMissing } from '../../../apps/stream-worker/src/audio/sequencer/blank-detector.ts'
import type { Progress, Sound, Voice } from '../../../apps/stream-worker/src/audio/sequencer/voice.ts'

const READ_AHEAD_SAMPLES = 4 * 44_100

/** A file as numbers: its length, and the progress of its decoder. */
export interface SimulatedFile {
  /** Samples. */
  length: number
  isUnplayable?: boolean
  /** True when no sample is louder than −60 dBFS. */
  isBlank?: boolean
  /** Time until the decoder delivers its first samples, ms. */
  delayMs?: number
  /** Samples per ms from then on; all at once by default. */
  speed?: number
}

/** Decoders as numbers: when each was opened, how far it has come, and how much of it was read. */
export class SimulatedDecoders {
  readonly #files: ReadonlyMap<string, SimulatedFile>
  readonly #open = new Map<number, { sound: Sound; openedAtMs: number; read: number }>()

  constructor(files: ReadonlyMap<string, SimulatedFile>) {
    this.#files = files
  }

  /** Opens the files of these sounds, unless they are open. */
  open(sounds: readonly Sound[], nowMs: number) {
    for (const sound of sounds) {
      if (!this.#open.has(sound.id)) this.#open.set(sound.id, { sound, openedAtMs: nowMs, read: sound.from })
    }
  }

  /** Notes how far a sound was read, in samples of its file. */
  read({ id }: Sound, read: number) {
    this.#open.get(id)!.read = read
  }

  /** @param crossfade samples that are read ahead beyond the usual ones. */
  progressOf({ id }: Sound, nowMs: number, crossfade: number): Progress {
    const { sound, openedAtMs, read } = this.#open.get(id)!
    const { length, isUnplayable, delayMs = 0, speed = Infinity } = this.#files.get(sound.media)!
    const sinceMs = nowMs - openedAtMs - delayMs
    if (sinceMs < 0) return { phase: 'opening', end: null, ready: sound.from }
    if (isUnplayable) return { phase: 'unplayable', end: null, ready: sound.from }
    const last = Math.min(length, sound.limit)
    const decoded = speed === Infinity ? last : sound.from + Math.floor(sinceMs * speed)
    const ahead = speed === Infinity ? Infinity : read + READ_AHEAD_SAMPLES + crossfade
    const ready = Math.max(sound.from, Math.min(last, decoded, ahead))
    if (ready >= last) return { phase: 'ended', end: last, ready }
    return { phase: ready > sound.from ? 'decoding' : 'opening', end: null, ready }
  }

  /** Counts what a voice has given of blank samples, or of none at all, while it sounds alone. */
  withBlankCounted(voice: Voice, count: number, { phase }: Progress, isAlone: boolean): Voice {
    const { blank } = voice
    if (phase === 'opening') return { ...voice, blank: isAlone ? countMissing(blank, count) : blank }
    const isBlank = this.#files.get(voice.media)!.isBlank && isAlone && !voice.isTail
    return { ...voice, blank: { ...blank, samples: isBlank ? blank.samples + count : 0, missing: 0 } }
  }
}
