import { FRAME_SAMPLES } from '@solstice/station'
import { SAMPLES_PER_MS } from './pcm/ring.ts'

/** Station time of the broadcast's samples, and back. */
export interface TimeLine {
  /** Station time of a sample, ms. */
  timeOf(sample: number): number
  /** The frame that holds the audio of a moment. */
  frameAt(atMs: number): number
  /** From a sample on, counts time from another moment. Only the current and the previous anchor are kept. */
  anchor(sample: number, atMs: number): void
}

/** An anchor from which time is counted at the sample rate. */
interface TimeAnchor {
  sample: number
  atMs: number
}

export function createTimeLine(first: TimeAnchor): TimeLine {
  /** In order. The previous anchor is still needed for frames that are not published yet. */
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
