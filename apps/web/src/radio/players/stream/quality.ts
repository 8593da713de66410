import type { PublicConfig } from '@solstice/contracts'
import type { Store } from '../../../ui/store.ts'
import { isNarrow } from '../sparing.ts'
import { type Stream, usual } from './usual.ts'

export type Quality = 'auto' | 'high' | 'low'

/** The streams in MP3 and AAC that this browser plays, the usual one first. */
export function playableStreams(config: PublicConfig | null): Stream[] {
  const audio = document.createElement('audio')
  // Stations of an earlier version don't tell their streams.
  return (config?.streams ?? []).filter(
    ({ format }) => format === usual.format || (format === 'audio/aac' && audio.canPlayType(format) !== ''),
  )
}

/** The stream for a quality; of two with the same bit rate the first. */
export function streamFor(streams: readonly Stream[], quality: Quality, isLow: boolean): Stream {
  const [first = usual, ...others] = streams
  if (quality === 'auto' && !isLow) return first
  const sign = quality === 'high' ? 1 : -1
  return others.reduce((best, one) => (sign * (one.bitrate - best.bitrate) > 0 ? one : best), first)
}

/** Which of the station's streams is played. */
export interface StreamChoice {
  readonly quality: Store<Quality>
  now(): Stream
  /** The network is too narrow: `auto` is `low` until `reset`. */
  lower(): void
  reset(): void
}

/** @param playable those of the station's streams that can be played. */
export function createStreamChoice(
  config: Store<PublicConfig | null>,
  quality: Store<Quality>,
  playable: (config: PublicConfig | null) => Stream[] = playableStreams,
): StreamChoice {
  let isLowered = false
  return {
    quality,
    now: () => streamFor(playable(config.value), quality.value, isLowered || isNarrow()),
    lower() {
      isLowered = true
    },
    reset() {
      isLowered = false
    },
  }
}
