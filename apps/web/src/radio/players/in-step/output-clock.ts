/** A moment of the audio clock, in seconds, and the local moment at which it is heard, in ms. */
export interface OutputSample {
  contextS: number
  heardMs: number
}

/** Tells when a moment of the audio clock is heard: the two clocks drift apart, and each reading is off by some ms. */
export interface OutputClock {
  add(sample: OutputSample): void
  /** Local time in ms at which a moment of the audio clock is heard; null before the first reading. */
  heardMs(contextS: number): number | null
  /** The sound goes another way now. */
  reset(): void
}

/** Sound servers smooth the latency they report, so readings wander by some ms for seconds: only a long time averages that. */
const MAX_SAMPLES = 360
const KEEP_EVERY_S = 0.5
/** At first all are kept, and of these the newer half counts: what is reported settles over seconds. */
const ALL_KEPT_S = 5
const SETTLING_S = 20
/** A drift read from a shorter time would be noise. */
const MIN_SPAN_S = 60
const MAX_DRIFT = 300e-6
/** Readings further from the middle count as if they were this far from it. */
const OUTLIER_MS = 20
/** This many readings in a row that are further off than this mean that the sound goes another way, or that it broke off. */
const STEP_SAMPLES = 5
const STEP_MS = 12

export function createOutputClock(): OutputClock {
  let samples: OutputSample[] = []
  /** The last few, of which not all are kept. */
  let latest: OutputSample[] = []
  let fit: Fit | null = null
  let sinceS = 0
  return {
    add(sample) {
      // The same reading again.
      if (latest.at(-1)?.contextS === sample.contextS) return
      if (samples.length === 0) sinceS = sample.contextS
      latest = [...latest, sample].slice(-STEP_SAMPLES)
      const agedS = sample.contextS - sinceS
      const isKept = agedS < ALL_KEPT_S || sample.contextS - samples.at(-1)!.contextS >= KEEP_EVERY_S
      if (isKept) samples = [...samples, sample].slice(-MAX_SAMPLES)
      const offMs = (one: OutputSample) => (fit ? delayMs(one) - delayAt(fit, one.contextS) : 0)
      const isStep =
        latest.length === STEP_SAMPLES &&
        (latest.every((one) => offMs(one) > STEP_MS) || latest.every((one) => offMs(one) < -STEP_MS))
      if (isStep) {
        samples = latest
        sinceS = latest[0]!.contextS
      } else if (agedS < SETTLING_S)
        samples = samples.filter(({ contextS }) => contextS - sinceS >= agedS / 2)
      fit = fitOutput(samples)
    },
    heardMs: (contextS) => (fit ? contextS * 1000 + delayAt(fit, contextS) : null),
    reset() {
      samples = []
      latest = []
      fit = null
    },
  }
}

interface Fit {
  atS: number
  delayMs: number
  drift: number
}

const delayMs = ({ contextS, heardMs }: OutputSample): number => heardMs - contextS * 1000

const delayAt = ({ atS, delayMs, drift }: Fit, contextS: number): number =>
  delayMs + drift * (contextS - atS) * 1000

/** The drift by least squares, the delay by the median: single readings may be far off. */
function fitOutput(samples: readonly OutputSample[]): Fit {
  const atS = samples.at(-1)!.contextS
  const spanS = atS - samples[0]!.contextS
  const drift = spanS < MIN_SPAN_S ? 0 : slopeOf(samples)
  const level = samples.map((sample) => delayMs(sample) - drift * (sample.contextS - atS) * 1000)
  return { atS, delayMs: median(level), drift }
}

function slopeOf(samples: readonly OutputSample[]): number {
  const mean = (of: (sample: OutputSample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const meanS = mean(({ contextS }) => contextS)
  const middleMs = median(samples.map(delayMs))
  // Readings that are far off would tilt the line.
  const held = (sample: OutputSample) =>
    Math.max(-OUTLIER_MS, Math.min(OUTLIER_MS, delayMs(sample) - middleMs)) / 1000
  const slope =
    mean((sample) => (sample.contextS - meanS) * held(sample)) /
    mean(({ contextS }) => (contextS - meanS) ** 2)
  return Math.max(-MAX_DRIFT, Math.min(MAX_DRIFT, slope))
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
