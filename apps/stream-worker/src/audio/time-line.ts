import { FRAME_SAMPLES, type Stretch } from '@solstice/station'
import { SAMPLES_PER_MS } from './pcm/ring.ts'

/** Station time of the broadcast's samples, and back. */
export interface TimeLine {
  /** Station time of a sample, ms. */
  timeOf(sample: number): number
  /** The frame that holds the audio of a moment. */
  frameAt(atMs: number): number
  /** The stretch to which the sample before this one belongs. */
  stretchBefore(sample: number): Stretch
  /** From a sample on, counts time from another moment: a new stretch. Only the current and the previous anchor are kept. */
  anchor(sample: number, atMs: number): void
}

/** An anchor from which time is counted at the sample rate. */
interface TimeAnchor {
  sample: number
  atMs: number
}

/** @param stretch of the first sample; it may have begun earlier. */
export function createTimeLine(first: TimeAnchor, stretch: Stretch): TimeLine {
  type Anchor = TimeAnchor & { stretch: Stretch }
  /** In order. The previous anchor is still needed for frames that are not published yet. */
  let anchors: [Anchor, ...Anchor[]] = [{ ...first, stretch }]
  const anchorOf = (sample: number) =>
    anchors.findLast((candidate) => candidate.sample <= sample) ?? anchors[0]
  return {
    timeOf(sample) {
      const anchor = anchorOf(sample)
      return anchor.atMs + (sample - anchor.sample) / SAMPLES_PER_MS
    },
    frameAt(atMs) {
      const anchor = anchors.findLast((candidate) => candidate.atMs <= atMs) ?? anchors[0]
      return Math.floor((anchor.sample + (atMs - anchor.atMs) * SAMPLES_PER_MS) / FRAME_SAMPLES)
    },
    stretchBefore: (sample) => anchorOf(sample - 1).stretch,
    anchor(sample, atMs) {
      const last = anchors.at(-1)!
      anchors = [last, { sample, atMs, stretch: { number: last.stretch.number + 1, sample } }]
    },
  }
}
