/** One exchange with the station's clock; times in ms, the outer two by the local clock. */
export interface ClockSample {
  sentMs: number
  serverMs: number
  receivedMs: number
}

/** The station's clock as a line over the local one. */
export interface ClockFit {
  /** Local moment at which the line is anchored, ms. */
  atMs: number
  /** Added to the local clock at that moment gives the station's, ms. */
  offsetMs: number
  /** How much faster the station's clock runs: 1e-6 = a microsecond per second. */
  drift: number
}

/** Of all exchanges within such a window only the shortest counts: a longer one waited somewhere on the way. */
const WINDOW_MS = 16_000
/** A drift read from a shorter time would be noise. */
const MIN_SPAN_MS = 60_000
const MIN_MINIMA = 4
/** No quartz is further off; what looks like more is an error of the measurement. */
const MAX_DRIFT = 200e-6
/** An exchange that took this much longer than the shortest says little. */
const TRIP_SCALE_MS = 2

/** Added to the local clock gives the station's; assumes the answer left in the middle of the trip. */
export const offsetMs = (sample: ClockSample): number =>
  sample.serverMs - (sample.sentMs + sample.receivedMs) / 2

export const roundTripMs = (sample: ClockSample): number => sample.receivedMs - sample.sentMs

/** The sample with the smallest round trip: the least room for error. */
export function bestSample(samples: readonly ClockSample[]): ClockSample | null {
  return samples.reduce<ClockSample | null>(
    (best, sample) => (best && roundTripMs(best) <= roundTripMs(sample) ? best : sample),
    null,
  )
}

/**
 * Fits the station's clock to exchanges: the shortest of each window, weighed by how short it was. Exchanges of a few
 * seconds give an offset only; those of a minute and more also the drift between the two clocks.
 *
 * @returns null without any exchange.
 */
export function fitClock(samples: readonly ClockSample[]): ClockFit | null {
  const best = bestSample(samples)
  if (!best) return null
  const minima = shortestOfEach(samples)
  const points = minima.map((sample) => ({
    atMs: middleMs(sample),
    offsetMs: offsetMs(sample),
    weight: 1 / (TRIP_SCALE_MS + roundTripMs(sample) - roundTripMs(best)) ** 2,
  }))
  const spanMs = points.at(-1)!.atMs - points[0]!.atMs
  if (points.length < MIN_MINIMA || spanMs < MIN_SPAN_MS)
    return { atMs: middleMs(best), offsetMs: offsetMs(best), drift: 0 }

  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + point.weight * of(point), 0) / total
  const meanAtMs = mean(({ atMs }) => atMs)
  const meanOffsetMs = mean((point) => point.offsetMs)
  const spread = mean(({ atMs }) => (atMs - meanAtMs) ** 2)
  const slope = mean((point) => (point.atMs - meanAtMs) * (point.offsetMs - meanOffsetMs)) / spread
  const drift = Math.max(-MAX_DRIFT, Math.min(MAX_DRIFT, slope))
  return { atMs: meanAtMs, offsetMs: meanOffsetMs, drift }
}

/** The offset by a fit at a local moment, ms. */
export const offsetAt = ({ atMs, offsetMs, drift }: ClockFit, localMs: number): number =>
  offsetMs + drift * (localMs - atMs)

const middleMs = ({ sentMs, receivedMs }: ClockSample): number => (sentMs + receivedMs) / 2

function shortestOfEach(samples: readonly ClockSample[]): ClockSample[] {
  const windows = new Map<number, ClockSample>()
  for (const sample of samples) {
    const window = Math.floor(sample.receivedMs / WINDOW_MS)
    const held = windows.get(window)
    if (!held || roundTripMs(sample) < roundTripMs(held)) windows.set(window, sample)
  }
  return [...windows.values()]
}
