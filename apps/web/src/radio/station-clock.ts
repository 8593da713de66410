/** One exchange with the station's clock; times in ms, the outer two of the local clock. */
export interface ClockSample {
  sentMs: number
  serverMs: number
  receivedMs: number
}

const KEPT_SAMPLES = 8
const SAMPLE_LIFE_MS = 120_000
const DRIFT_MS = 1000

/** The local clock, in epoch ms; unlike `Date.now()` it never jumps. */
export const localNowMs = (): number => performance.timeOrigin + performance.now()

export const roundTripMs = (sample: ClockSample): number => sample.receivedMs - sample.sentMs

/**
 * The samples worth keeping once another one has come: the last few, none of them old, and none from before the station's
 * clock was set.
 */
export function withSample(samples: readonly ClockSample[], sample: ClockSample): ClockSample[] {
  const isFresh = (s: ClockSample) =>
    sample.receivedMs - s.receivedMs < SAMPLE_LIFE_MS && !isOfAnotherClock(s, sample)
  return [...samples.filter(isFresh), sample].slice(-KEPT_SAMPLES)
}

/** Each sample is exact to half of its round trip: what is further apart than that is no drift. */
function isOfAnotherClock(a: ClockSample, b: ClockSample): boolean {
  const roomMs = (roundTripMs(a) + roundTripMs(b)) / 2 + DRIFT_MS
  return Math.abs(offsetMs(a) - offsetMs(b)) > roomMs
}

/** The sample with the smallest round trip: the least room for error. */
export function bestSample(samples: readonly ClockSample[]): ClockSample | null {
  return samples.reduce<ClockSample | null>(
    (best, sample) => (best && roundTripMs(best) <= roundTripMs(sample) ? best : sample),
    null,
  )
}

/** What to add to the local clock to get the station's: the answer is taken to be from the middle of the trip. */
export const offsetMs = (sample: ClockSample): number =>
  sample.serverMs - (sample.sentMs + sample.receivedMs) / 2
