import { afterWarmUp, type Point, slopePerHour } from './trend.ts'

const MAX_RSS_MB_PER_H = 1
/** Connections come and go, so that a line through their number is never quite level. */
const MAX_HANDLES_PER_H = 5
const MAX_DRIFT_MS = 20
/** A line through less than this tells the noise of the garbage collector, not a leak. */
const LEAST_JUDGED_H = 0.5

/** Observations of a run. */
export interface Observed {
  /** Length of the run. */
  hours: number
  /** RSS by process, without garbage; one that replaced another is a process of its own. */
  collectedMb: ReadonlyMap<string, readonly Point[]>
  /** Open handles by process, of those that have no listeners. */
  handles: ReadonlyMap<string, readonly Point[]>
  driftMs: readonly Point[]
  /** Listeners who missed bytes, or frames that are missing in the broadcast, without a reason. */
  unplannedGaps: number
  /** Alarms of the monitor without a reason. */
  unplannedAlarms: number
  errors: number
}

export interface Verdict {
  what: string
  figure: string
  result: 'passed' | 'failed' | 'not judged'
}

export function judge(observed: Observed): Verdict[] {
  const { hours: runH, collectedMb, handles, driftMs, unplannedGaps, unplannedAlarms, errors } = observed
  const growth = (of: string, lines: Observed['handles'], unit: string, most: number) =>
    [...lines].map(([name, points]): Verdict => {
      const rest = afterWarmUp(points, runH)
      const slope = slopePerHour(rest)
      const hours = rest.length > 0 ? rest.at(-1)!.atH - rest[0]!.atH : 0
      const what = `${of} of ${name}`
      const figure =
        slope === null ? 'too few samples' : `${slope.toFixed(2)} ${unit}/h over ${hours.toFixed(2)} h`
      if (slope === null || hours < LEAST_JUDGED_H) return { what, figure, result: 'not judged' }
      return { what, figure, result: resultOf(slope < most) }
    })
  const largestMs = Math.max(...driftMs.map(({ value }) => Math.abs(value)))
  const drift: Verdict =
    driftMs.length === 0
      ? { what: 'drift', figure: 'no song began', result: 'failed' }
      : { what: 'drift', figure: `${largestMs.toFixed(1)} ms`, result: resultOf(largestMs < MAX_DRIFT_MS) }
  return [
    ...growth('memory', collectedMb, 'MB', MAX_RSS_MB_PER_H),
    ...growth('handles', handles, 'open', MAX_HANDLES_PER_H),
    drift,
    { what: 'unplanned gaps', figure: String(unplannedGaps), result: resultOf(unplannedGaps === 0) },
    { what: 'alarms', figure: String(unplannedAlarms), result: resultOf(unplannedAlarms === 0) },
    { what: 'errors in logs', figure: String(errors), result: errors === 0 ? 'passed' : 'not judged' },
  ]
}

const resultOf = (isWell: boolean) => (isWell ? 'passed' : 'failed')
