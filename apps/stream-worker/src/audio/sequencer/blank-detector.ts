import { SAMPLE_RATE } from '@solstice/station'

/** A voice that is silent for longer is skipped (rule T6). */
const MAX_BLANK_SAMPLES = 8 * SAMPLE_RATE
/** −60 dBFS: anything softer counts as silence. */
const MAX_BLANK_LEVEL = 32_768 / 1000

/** Counts the samples for which a voice has been silent. */
export interface BlankCount {
  /** Number of trailing samples that were silent while nothing else was heard. */
  readonly samples: number
  /** Number of samples that were due before its decoder delivered the first. */
  readonly missing: number
  /** True when some of it was heard, or may have been before this worker took over. */
  readonly wasHeard: boolean
}

export function nothingCounted(wasHeard: boolean): BlankCount {
  return { samples: 0, missing: 0, wasHeard }
}

/** Counts `count` samples of interleaved stereo from sample `from` on, during which only this voice was heard. */
export function countBlank(before: BlankCount, block: Int16Array, from: number, count: number): BlankCount {
  const silent = silentAtEnd(block, from, count)
  if (silent === count) return { ...before, samples: before.samples + count }
  return { samples: silent, missing: 0, wasHeard: true }
}

/** Counts `count` samples for which the decoder is late. They do not count as silent, because nothing is known of the voice yet. */
export function countMissing(before: BlankCount, count: number): BlankCount {
  return { ...before, missing: before.missing + count }
}

/** Restarts the count: a voice covered by another sound or a microphone cannot be judged. */
export function uncounted(before: BlankCount): BlankCount {
  return before.samples + before.missing === 0 ? before : nothingCounted(before.wasHeard)
}

/** True when the voice has been silent long enough to skip it. */
export function isBlank({ samples }: BlankCount): boolean {
  return samples >= MAX_BLANK_SAMPLES
}

/** True when the decoder of the voice has been late for as long as a blank voice is tolerated. */
export function isMissing({ missing }: BlankCount): boolean {
  return missing >= MAX_BLANK_SAMPLES
}

/** True when the voice will be skipped soon unless it makes a sound. */
export function mayBeLeft({ samples, missing }: BlankCount): boolean {
  return Math.max(samples, missing) > MAX_BLANK_SAMPLES / 2
}

/** Number of trailing silent samples among `count` samples from sample `from` on. */
function silentAtEnd(block: Int16Array, from: number, count: number): number {
  let at = (from + count) * 2 - 1
  while (at >= from * 2 && Math.abs(block[at]!) <= MAX_BLANK_LEVEL) at--
  return from + count - 1 - (at >> 1)
}
