import { streamBurstMs } from '@solstice/contracts'
import { localNowMs } from '../../connection/station-clock.ts'
import type { Stream } from './usual.ts'

const STALL_TIMEOUT_MS = 5000
/** The weight of a new measurement in the lag that is shown. */
const SMOOTHING = 0.3
/** Before the station moves a slow listener to the live edge, which the element wouldn't notice. */
const FAR_BEHIND_S = 6

const SAMPLES_PER_S = 44_100
/** Per frame. */
const samples = { 'audio/mpeg': 1152, 'audio/aac': 1024, 'audio/ogg': 882 }

/** A measurement of the stream in an element; times in ms of the local clock. */
export interface StreamProgress {
  /** When the station answered, and how far its first sound was behind then. */
  openedAtMs: number
  beganBehindS: number
  nowMs: number
  /** Seconds of sound played since. */
  playedS: number
  /** Seconds of sound in the element's buffer. */
  bufferedAheadS: number
  roundTripMs: number
}

/**
 * The lag in seconds. The stream began some time behind the moment it was opened, usually a burst, and what hasn't been played since
 * is still to come. That includes what waits in the network, of which the element's buffer shows only the last part.
 */
export function lagOf(progress: StreamProgress): number {
  const sinceOpenS = (progress.nowMs - progress.openedAtMs) / 1000
  const unplayedS = progress.beganBehindS + sinceOpenS - progress.playedS
  return Math.max(unplayedS, progress.bufferedAheadS + progress.roundTripMs / 2000)
}

/** The lag to show after another measurement. */
export const smoothLag = (shownS: number | null, measuredS: number): number =>
  shownS === null ? measuredS : shownS + SMOOTHING * (measuredS - shownS)

/** True when small stalls have added up so far that starting again at the live edge is better. */
export const isFarBehind = (lagS: number): boolean => lagS > streamBurstMs / 1000 + FAR_BEHIND_S

/**
 * The frame that is heard this far behind the station.
 *
 * @param burstFrame the first frame of the burst that the station sends now.
 */
export function frameBehind(
  burstFrame: number,
  lagS: number,
  format: Stream['format'] = 'audio/mpeg',
): number {
  const sinceS = streamBurstMs / 1000 - lagS
  return Math.max(0, Math.round(burstFrame + (sinceS * SAMPLES_PER_S) / samples[format]))
}

/** True when a stream that should play hasn't advanced for too long. */
export const isStalled = (nowMs: number, advancedAtMs: number): boolean =>
  nowMs - advancedAtMs > STALL_TIMEOUT_MS

/** Measures the lag of the stream in an element. */
export interface LagMeter {
  /** A request was sent for sound from this far behind on; its answer is taken to come half a round trip later. */
  opened(behindS: number): void
  /** The element's position moved. */
  advanced(): void
  /** There is no stream to measure. */
  reset(): void
  /** Measures again. Returns the smoothed lag in seconds; null while the element has nothing buffered. */
  measure(): number | null
  /** Seconds; 0 before the first measurement. */
  lagS(): number
  isStalled(): boolean
  /** True when a listener so far behind should start again at the live edge. */
  isFarBehind(lagS: number): boolean
}

export function createLagMeter(audio: HTMLAudioElement, roundTripMs: () => number): LagMeter {
  let openedAtMs = 0
  let beganBehindS = 0
  let advancedAtMs = 0
  let lagS: number | null = null
  return {
    opened(behindS) {
      beganBehindS = behindS
      advancedAtMs = localNowMs()
      openedAtMs = advancedAtMs + roundTripMs() / 2
    },
    advanced() {
      advancedAtMs = localNowMs()
    },
    reset() {
      lagS = null
    },
    measure() {
      const { buffered, currentTime } = audio
      if (buffered.length === 0) return null
      const measuredS = lagOf({
        openedAtMs,
        beganBehindS,
        nowMs: localNowMs(),
        playedS: currentTime,
        bufferedAheadS: Math.max(0, buffered.end(buffered.length - 1) - currentTime),
        roundTripMs: roundTripMs(),
      })
      lagS = smoothLag(lagS, measuredS)
      return lagS
    },
    lagS: () => lagS ?? 0,
    isStalled: () => isStalled(localNowMs(), advancedAtMs),
    isFarBehind,
  }
}
