import { PCM_RATE } from './decoder.ts'

/** One sample of the search for this many of the sound: up to 1.4 kHz is enough to tell it apart. */
const STEP = 16
const RATE = PCM_RATE / STEP
/** Sound in which a block is looked for that was just heard. */
const TEMPLATE = Math.round(0.25 * RATE)
const SHORTEST = Math.round(0.05 * RATE)
const LONGEST = Math.round(1.1 * RATE)
/** A block that came again for this long, ms. */
export const LOOP_HELD_MS = 2_000
const HELD = Math.round((LOOP_HELD_MS / 1000) * RATE)
const QUARTER = Math.floor(HELD / 4)
/** Correlation that encoding leaves of two equal sounds. */
const SAME = 0.9
/** Less is needed in the file: who takes a loop of the music for a fault is wrong, who takes a fault for music is late. */
const ALIKE = 0.8
const MAX_OFF = 2

/** Sound that a loop is looked for in, ms. */
export const LOOP_SEARCH_MS = Math.ceil(((HELD + LONGEST) / RATE) * 1000) + 100

/**
 * The length (ms) of a block of at most a second that has been coming again for 2 s; null when there is none.
 *
 * @param pcm stereo, 16 bit.
 */
export function loopIn(pcm: Buffer): number | null {
  const sound = coarse(pcm)
  if (sound.length < HELD + LONGEST) return null
  const from = sound.length - TEMPLATE
  let best = 0
  let lag = 0
  for (let one = SHORTEST; one <= LONGEST; one++) {
    const likeness = likenessOf(sound, from, one, TEMPLATE)
    if (likeness > best) [best, lag] = [likeness, one]
  }
  return best > SAME && isHeld(sound, sound.length, lag, SAME) ? (lag / RATE) * 1000 : null
}

/** True when the sound repeats at this distance (ms) anywhere for as long, or is too short to tell: the loop is in the music. */
export function repeatsAt(pcm: Buffer, lagMs: number): boolean {
  const sound = coarse(pcm)
  const lag = Math.round((lagMs / 1000) * RATE)
  const first = lag + MAX_OFF + HELD
  if (sound.length < first) return true
  for (let end = sound.length; end >= first; end -= QUARTER)
    for (let off = -MAX_OFF; off <= MAX_OFF; off++) if (isHeld(sound, end, lag + off, ALIKE)) return true
  return false
}

/** True when the sound up to `end` is that of `lag` before it. */
function isHeld(sound: Float32Array, end: number, lag: number, likeness: number): boolean {
  // Half of the time could be alike by chance, each quarter not.
  for (let part = 1; part <= 4; part++)
    if (likenessOf(sound, end - part * QUARTER, lag, QUARTER) <= likeness) return false
  return true
}

/** How alike a piece is to the one `lag` before it: 1 = the same up to its level. */
function likenessOf(sound: Float32Array, from: number, lag: number, length: number): number {
  let both = 0
  let one = 0
  let other = 0
  for (let i = from; i < from + length; i++) {
    const a = sound[i]!
    const b = sound[i - lag]!
    both += a * b
    one += a * a
    other += b * b
  }
  return one > 0 && other > 0 ? both / Math.sqrt(one * other) : 0
}

/** Both sides together, at a lower rate. */
function coarse(pcm: Buffer): Float32Array {
  const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + (pcm.length & ~3)))
  const result = new Float32Array(Math.floor(samples.length / 2 / STEP))
  for (let i = 0; i < result.length; i++) {
    let sum = 0
    for (let k = i * STEP * 2; k < (i + 1) * STEP * 2; k++) sum += samples[k]!
    result[i] = sum
  }
  return result
}
