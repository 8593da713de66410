/** One exchange with the station's clock; times in ms, the outer two by the local clock. */
export interface ClockSample {
  sentMs: number
  serverMs: number
  receivedMs: number
}

/** The station's clock as this browser knows it: by the best of the last exchanges, until then by the last `sync`. */
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
  /** Forgets all exchanges, since the local clock may have stood still. */
  reset(): void
}

const MAX_SAMPLES = 8
const SAMPLE_LIFE_MS = 120_000
const DRIFT_MS = 1000
/** Beyond network delays and drift: one of the clocks was set. */
export const CLOCK_JUMP_MS = 5000

/** The local clock, in epoch ms; unlike `Date.now()` it never jumps. */
export const localNowMs = (): number => performance.timeOrigin + performance.now()

/** When the first byte of this page arrived, by the local clock. */
export function pageArrivedMs(): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return performance.timeOrigin + (navigation?.responseStart ?? performance.now())
}

export function createStationClock(): StationClock {
  let samples: ClockSample[] = []
  let syncOffsetMs = 0
  const best = () => bestSample(samples)
  const currentOffsetMs = () => {
    const sample = best()
    return sample ? offsetMs(sample) : syncOffsetMs
  }
  return {
    nowMs: () => localNowMs() + currentOffsetMs(),
    roundTripMs() {
      const sample = best()
      return sample ? roundTripMs(sample) : 0
    },
    setFromSync(serverTimeMs, arrivedMs = localNowMs()) {
      syncOffsetMs = serverTimeMs - arrivedMs
    },
    add(sample) {
      const isFirst = samples.length === 0
      const beforeMs = currentOffsetMs()
      samples = withSample(samples, sample)
      return isFirst ? 0 : currentOffsetMs() - beforeMs
    },
    isPlausible: (serverMs) =>
      samples.length === 0 || Math.abs(serverMs - localNowMs() - currentOffsetMs()) < CLOCK_JUMP_MS,
    reset() {
      samples = []
    },
  }
}

/** Adds a sample, drops old ones and those from before the station's clock was set, and keeps the last few. */
export function withSample(samples: readonly ClockSample[], sample: ClockSample): ClockSample[] {
  const isFresh = (s: ClockSample) =>
    sample.receivedMs - s.receivedMs < SAMPLE_LIFE_MS && !isOfAnotherClock(s, sample)
  return [...samples.filter(isFresh), sample].slice(-MAX_SAMPLES)
}

/** A sample is exact to half its round trip: a larger difference between two is no drift. */
function isOfAnotherClock(a: ClockSample, b: ClockSample): boolean {
  const toleranceMs = (roundTripMs(a) + roundTripMs(b)) / 2 + DRIFT_MS
  return Math.abs(offsetMs(a) - offsetMs(b)) > toleranceMs
}

/** The sample with the smallest round trip: the least room for error. */
export function bestSample(samples: readonly ClockSample[]): ClockSample | null {
  return samples.reduce<ClockSample | null>(
    (best, sample) => (best && roundTripMs(best) <= roundTripMs(sample) ? best : sample),
    null,
  )
}

/** Added to the local clock gives the station's; assumes the answer left in the middle of the trip. */
export const offsetMs = (sample: ClockSample): number =>
  sample.serverMs - (sample.sentMs + sample.receivedMs) / 2

const roundTripMs = (sample: ClockSample): number => sample.receivedMs - sample.sentMs
