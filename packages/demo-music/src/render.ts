import { setImmediate as othersFirst } from 'node:timers/promises'
import { compose, lengthOf, type Played, type Score } from './compose.ts'
import { type Effect, echo, room, type Stereo } from './effects.ts'
import { instruments, MAX_NOTE_S, SAMPLE_RATE } from './instruments.ts'
import { fade, master } from './mastering.ts'
import { type Random, seededRandom } from './random.ts'

/** As loud as radio on the net is by custom. */
const LOUDNESS_LUFS = -16
/** −1.5 dBFS. */
const CEILING = 0.84
/** Other work of the process never waits longer than this. */
const TURN_MS = 15
const STRETCH = 16_384
const LEAD_IN_S = 0.15

export interface Space {
  /** Seconds in which the room falls by 60 dB. */
  roomS: number
  /** 0 (dark) to 1. */
  brightness: number
  /** dB by which the heights are opened. */
  airDb: number
  /** Beats between the echoes. */
  echoBeats: number
  fadeInS: number
  /** Sounds on after the last bar, and fades. */
  tailS: number
}

/** Seconds of sound that a score gives. */
export function soundLength(score: Score, space: Space): number {
  return LEAD_IN_S + lengthOf(score) + space.tailS
}

/** Where the first beat is, seconds. */
export const firstBeatS = LEAD_IN_S

/**
 * Plays a score: 44.1 kHz, stereo, at −16 LUFS without clipping. The same seed gives the same samples. Lets the rest of
 * the process have its turn every few milliseconds.
 *
 * @throws when `stopping` is aborted.
 */
export async function render(
  score: Score,
  space: Space,
  seed: number,
  stopping?: AbortSignal,
): Promise<Stereo> {
  const random = seededRandom(seed)
  const length = Math.ceil(soundLength(score, space) * SAMPLE_RATE)
  const out: Stereo = { left: new Float32Array(length), right: new Float32Array(length) }
  const sends = { room: new Float32Array(length), echo: new Float32Array(length) }
  const rest = turns(stopping)

  const sound = new Float32Array(MAX_NOTE_S * SAMPLE_RATE)
  for (const note of compose(score, random)) {
    const count = instruments[note.part.instrument](sound, note, random)
    place(note, sound.subarray(0, count), out, sends, random)
    await rest()
  }

  const beatS = 60 / score.beatsPerMinute
  const effects: Effect[] = [
    echo(sends.echo, out, sends.room, space.echoBeats * beatS),
    room(sends.room, out, space.roomS, space.brightness),
  ]
  for (const effect of effects) {
    for (let at = 0; at < length; at += STRETCH) {
      effect(at, Math.min(length, at + STRETCH))
      await rest()
    }
  }
  fade(out, space.fadeInS, space.tailS)
  await rest()
  master(out, LOUDNESS_LUFS, CEILING, space.airDb)
  return out
}

/** 16-bit samples, left and right by turns, with the noise that keeps soft sounds from rounding. */
export function toPcm({ left, right }: Stereo, seed: number): Buffer {
  const random = seededRandom(seed)
  const pcm = new Int16Array(left.length * 2)
  for (let i = 0; i < left.length; i++) {
    pcm[2 * i] = Math.round(left[i]! * 32_767 + random() - random())
    pcm[2 * i + 1] = Math.round(right[i]! * 32_767 + random() - random())
  }
  return Buffer.from(pcm.buffer)
}

function place(
  note: Played,
  sound: Float32Array,
  out: Stereo,
  sends: { room: Float32Array; echo: Float32Array },
  random: Random,
): void {
  const { gain, pan = 0, room: toRoom = 0.2, echo: toEcho = 0 } = note.part
  const level = 10 ** (gain / 20) * (0.35 + 0.65 * note.velocity)
  // Equal power: as loud in the middle as at the sides. Each note lies a little elsewhere.
  const angle = (Math.PI / 4) * (1 + Math.max(-1, Math.min(1, pan + 0.16 * (random() - 0.5))))
  const left = level * Math.cos(angle)
  const right = level * Math.sin(angle)
  const from = Math.round((LEAD_IN_S + note.atS) * SAMPLE_RATE)
  const count = Math.min(sound.length, out.left.length - from)
  for (let i = 0; i < count; i++) {
    const sample = sound[i]!
    out.left[from + i]! += left * sample
    out.right[from + i]! += right * sample
    sends.room[from + i]! += level * toRoom * sample
    sends.echo[from + i]! += level * toEcho * sample
  }
}

function turns(stopping: AbortSignal | undefined): () => Promise<void> | undefined {
  let sinceMs = performance.now()
  return () => {
    if (performance.now() - sinceMs < TURN_MS) return undefined
    return othersFirst().then(() => {
      stopping?.throwIfAborted()
      sinceMs = performance.now()
    })
  }
}
