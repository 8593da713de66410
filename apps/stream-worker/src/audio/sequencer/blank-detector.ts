import { SAMPLE_RATE } from '@solstice/station'

/** A voice that gives no sound for longer is left (rule T6). */
const MAX_BLANK_SAMPLES = 8 * SAMPLE_RATE
/** −60 dBFS: anything softer is no sound. */
const MAX_BLANK_LEVEL = 32_768 / 1000

/** Counts the samples for which a voice has given no sound. */
export interface BlankCount {
  /** Number of its last samples that were silent while nothing else was heard. */
  readonly samples: number
  /** Number of samples that were due before its decoder gave the first. */
  readonly missing: number
  /** Something of it was heard, or may have been before this worker came. */
  readonly wasHeard: boolean
}

export function nothingCounted(wasHeard: boolean): BlankCount {
  return { samples: 0, missing: 0, wasHeard }
}

/** Counts `count` samples of interleaved stereo from sample `from` on, in which the voice was heard alone. */
export function countBlank(before: BlankCount, block: Int16Array, from: number, count: number): BlankCount {
  const silent = silentAtEnd(block, from, count)
  if (silent === count) return { ...before, samples: before.samples + count }
  return { samples: silent, missing: 0, wasHeard: true }
}

/** Counts `count` samples for which the decoder is late. They are not silent: nobody knows yet how the voice sounds. */
export function countMissing(before: BlankCount, count: number): BlankCount {
  return { ...before, missing: before.missing + count }
}

/** Begins to count anew: what another sound or a microphone covers cannot be judged. */
export function uncounted(before: BlankCount): BlankCount {
  return before.samples + before.missing === 0 ? before : nothingCounted(before.wasHeard)
}

/** True when the voice is to be left. */
export function isBlank({ samples }: BlankCount): boolean {
  return samples >= MAX_BLANK_SAMPLES
}

/** True when nothing has come of the voice for as long as a blank one is heard. */
export function isMissing({ missing }: BlankCount): boolean {
  return missing >= MAX_BLANK_SAMPLES
}

/** True when the voice may be left soon, unless it sounds again. */
export function mayBeLeft({ samples, missing }: BlankCount): boolean {
  return Math.max(samples, missing) > MAX_BLANK_SAMPLES / 2
}

/** Number of the last of `count` samples, from sample `from` on, that are silent. */
function silentAtEnd(block: Int16Array, from: number, count: number): number {
  let at = (from + count) * 2 - 1
  while (at >= from * 2 && Math.abs(block[at]!) <= MAX_BLANK_LEVEL) at--
  return from + count - 1 - (at >> 1)
}
