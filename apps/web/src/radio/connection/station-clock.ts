import { bestSample, type ClockSample, fitClock, offsetAt, offsetMs, roundTripMs } from './clock-fit.ts'

/** The station's clock as this browser knows it: fitted to the shortest of the last exchanges, until then by the last `sync`. */
export interface StationClock {
  /** Epoch ms. */
  nowMs(): number
  /** Of the best exchange; 0 before the first. */
  roundTripMs(): number
  /** Takes the time of a state that arrived at a local moment, which is late by one way of the trip. */
  setFromSync(serverTimeMs: number, arrivedMs?: number): void
  /** Adds an exchange. Returns by how many ms the clock moved; 0 for the first. */
  add(sample: ClockSample): number
  /** False when a moment that was just announced is so far off that the station's clock may have been set. */
  isPlausible(serverMs: number): boolean
}

const MAX_SAMPLES = 64
const SAMPLE_LIFE_MS = 240_000
/** Two clocks drift apart by less within the life of a sample. */
const DRIFT_MS = 50
/** Beyond network delays and drift: one of the clocks was set. */
export const CLOCK_JUMP_MS = 5000
/** The station sends whole milliseconds, rounded down. */
const ROUNDING_MS = 0.5

/** The local clock, in epoch ms; unlike `Date.now()` it never jumps. */
export const localNowMs = (): number => performance.timeOrigin + performance.now()

/** When the first byte of this page arrived, by the local clock. */
export function pageArrivedMs(): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return performance.timeOrigin + (navigation?.responseStart ?? performance.now())
}

export function createStationClock(): StationClock {
  let samples: ClockSample[] = []
  let fit: ReturnType<typeof fitClock> = null
  let syncOffsetMs = 0
  const currentOffsetMs = () => (fit ? offsetAt(fit, localNowMs()) + ROUNDING_MS : syncOffsetMs)
  return {
    nowMs: () => localNowMs() + currentOffsetMs(),
    roundTripMs() {
      const sample = bestSample(samples)
      return sample ? roundTripMs(sample) : 0
    },
    setFromSync(serverTimeMs, arrivedMs = localNowMs()) {
      syncOffsetMs = serverTimeMs - arrivedMs
    },
    add(sample) {
      const isFirst = samples.length === 0
      const beforeMs = currentOffsetMs()
      samples = withSample(samples, sample)
      fit = fitClock(samples)
      return isFirst ? 0 : currentOffsetMs() - beforeMs
    },
    isPlausible: (serverMs) =>
      samples.length === 0 || Math.abs(serverMs - localNowMs() - currentOffsetMs()) < CLOCK_JUMP_MS,
  }
}

/** Adds a sample, drops old ones and those from before the station's clock was set, and keeps the last few. */
export function withSample(samples: readonly ClockSample[], sample: ClockSample): ClockSample[] {
  const isFresh = (s: ClockSample) =>
    sample.receivedMs - s.receivedMs < SAMPLE_LIFE_MS && !isOfAnotherClock(s, sample)
  return [...samples.filter(isFresh), sample].slice(-MAX_SAMPLES)
}

/**
 * A sample is exact to half its round trip: a larger difference between two is no drift. Either clock was set, or the local one
 * stood still while the device slept.
 */
function isOfAnotherClock(a: ClockSample, b: ClockSample): boolean {
  const toleranceMs = (roundTripMs(a) + roundTripMs(b)) / 2 + DRIFT_MS
  return Math.abs(offsetMs(a) - offsetMs(b)) > toleranceMs
}
