import { chunkEndMs, FRAME_MS, FRAME_SAMPLES, type FrameChunk, type Stretch } from '@solstice/station'
import { PRIMING_FRAMES } from './codec/encoder.ts'

/** A broadcast that ended longer ago is not caught up with: no player has waited that long. */
const MAX_CATCH_UP_MS = 15_000
/** Stretches are counted from the clock where nothing else is known: they begin less often than this. */
const STRETCH_MS = 10_000

/** Where a broadcast begins. */
interface Beginning {
  /** Number of its first frame, and the byte at which that stands. */
  frame: number
  byte: number
  /** Station time at which the first frame is due, ms. */
  atMs: number
  /** True when it follows the last broadcast without a pause. */
  isFresh: boolean
  stretch: Stretch
  /** The first sample that is encoded, and the first one that is heard: the encoder needs some before. */
  start: number
  firstHeard: number
}

/** Behind the last chunk of an earlier broadcast, or at the number that the clock gives. */
export function beginningOf(after: FrameChunk | null, nowMs: number): Beginning {
  // Without a previous chunk the numbers come from the clock, so that they rise even then.
  if (!after) {
    const frame = Math.floor(nowMs / FRAME_MS)
    const stretch = newStretch(null, frame, nowMs)
    return { frame, byte: 0, atMs: nowMs, isFresh: false, stretch, ...samplesFrom(frame) }
  }
  const fromMs = catchUpFrom(after, nowMs)
  const isFresh = fromMs !== null
  const frame = after.frame + after.frames
  const stretch = (isFresh && after.stretch) || newStretch(after, frame, nowMs)
  const byte = after.byte + after.audio.length
  return { frame, byte, atMs: fromMs ?? nowMs, isFresh, stretch, ...samplesFrom(frame) }
}

const samplesFrom = (frame: number) => ({
  start: (frame - PRIMING_FRAMES) * FRAME_SAMPLES,
  firstHeard: frame * FRAME_SAMPLES,
})

function newStretch(after: FrameChunk | null, frame: number, nowMs: number): Stretch {
  const number = after?.stretch ? after.stretch.number + 1 : Math.floor(nowMs / STRETCH_MS)
  return { number, sample: frame * FRAME_SAMPLES }
}

/** Station time from which to catch up with a broadcast that ended with `after`; null when it ended too long ago. */
export function catchUpFrom(after: FrameChunk, nowMs: number): number | null {
  const endMs = chunkEndMs(after)
  return nowMs - endMs <= MAX_CATCH_UP_MS ? endMs : null
}
