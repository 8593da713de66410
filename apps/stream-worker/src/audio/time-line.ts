import { FRAME_SAMPLES } from '@solstice/station'
import { SAMPLES_PER_MS } from './pcm/ring.ts'

/** Station time of the broadcast's samples, and back. */
export interface TimeLine {
  /** Station time of a sample, ms. */
  timeOf(sample: number): number
  /** The frame that holds the sound of a moment. */
  frameAt(atMs: number): number
  /** From a sample on, time counts from another moment. Samples before the one before keep no time of their own. */
  anchor(sample: number, atMs: number): void
}

/** A place from which time is counted at the rate of the samples. */
interface TimeAnchor {
  sample: number
  atMs: number
}

export function createTimeLine(first: TimeAnchor): TimeLine {
  /** In order. Moments of the former one are still asked for: its frames are not published yet. */
  let anchors: [TimeAnchor, ...TimeAnchor[]] = [first]
  return {
    timeOf(sample) {
      const anchor = anchors.findLast((candidate) => candidate.sample <= sample) ?? anchors[0]
      return anchor.atMs + (sample - anchor.sample) / SAMPLES_PER_MS
    },
    frameAt(atMs) {
      const anchor = anchors.findLast((candidate) => candidate.atMs <= atMs) ?? anchors[0]
      return Math.floor((anchor.sample + (atMs - anchor.atMs) * SAMPLES_PER_MS) / FRAME_SAMPLES)
    },
    anchor(sample, atMs) {
      anchors = [anchors.at(-1)!, { sample, atMs }]
    },
  }
}
