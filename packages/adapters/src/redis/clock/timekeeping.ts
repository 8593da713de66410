/** A larger difference is not drift: somebody set a clock. */
export const STEP_MS = 500
/** Drift is corrected by the look with the shortest round trip of many, as in NTP. */
const TUNE_EVERY_LOOKS = 30
/** A process keeps its own time for this long when the station agrees on another: others correct a step within seconds. */
const STEADY_MS = 5_000

/** One look at the wall clock and at the station's agreement, timed by the monotonic clock of the process. */
export interface Look {
  atMs: number
  /** Round trip; the wall clock is known to within half of it. */
  tripMs: number
  /** The wall clock minus the monotonic clock. */
  wallOffsetMs: number
  /** How far the station's clock is ahead of the wall clock by the agreement. */
  aheadMs: number
  /** Station time at which a lease holder was last seen; null = never. */
  aliveMs: number | null
  /** The same moment by the monotonic clock of this process; null if it was on another boot or machine. */
  aliveAtMs: number | null
}

/** Time as a process knows it. */
export interface Time {
  /** The station's clock minus the monotonic clock. */
  offsetMs: number
  /** How far the station's clock is ahead of the wall clock. */
  aheadMs: number
  /** From this moment on it prevails over another agreement; before, it rests on a single look at the wall clock. */
  sureFromMs: number
  best: Look
  /** The agreement at the last look. */
  toldAheadMs: number
  looks: number
  /** When the station's agreement began to differ, and when a lease holder had last been seen by then. */
  other: { sinceMs: number; aliveMs: number | null } | null
}

/** Result of a look. */
export interface Kept {
  time: Time
  /** Difference by which the wall clock was set; 0 = it was not. */
  setByMs: number
  /** True when this process should write its time as the station's agreement. */
  isToAgree: boolean
}

/**
 * Begins the time of a process. If a holder was seen on this boot of this machine, the monotonic clock tells the time elapsed
 * since; otherwise the wall clock does, and time does not go back.
 */
export function beginTime(best: Look): Kept {
  const { atMs, wallOffsetMs, aliveMs, aliveAtMs } = best
  const told = wallOffsetMs + best.aheadMs
  const carried = aliveMs !== null && aliveAtMs !== null ? aliveMs - aliveAtMs : null
  const isBefore = aliveMs !== null && aliveMs - (atMs + told) > STEP_MS
  const offsetMs = carried ?? (isBefore ? aliveMs - atMs : told)
  const isToAgree = Math.abs(offsetMs - told) > STEP_MS
  const isSeen = aliveMs === null || atMs + told - aliveMs < STEADY_MS
  const time = {
    ...(isToAgree
      ? { offsetMs, aheadMs: offsetMs - wallOffsetMs }
      : { offsetMs: told, aheadMs: best.aheadMs }),
    sureFromMs: carried !== null || isBefore || isSeen ? atMs : atMs + STEADY_MS,
    best,
    toldAheadMs: best.aheadMs,
    looks: 0,
    other: null,
  }
  return { time, setByMs: 0, isToAgree }
}

/** Continues the time evenly: when the wall clock was set, only the station's lead over it changes. */
export function keepTime(time: Time, seen: Look): Kept {
  const { offsetMs, aheadMs } = time
  const looks = time.looks + 1
  const errorMs = seen.wallOffsetMs - (offsetMs - aheadMs)
  if (Math.abs(errorMs) > STEP_MS + seen.tripMs / 2)
    return settle({ ...time, aheadMs: aheadMs - errorMs, best: seen, looks: 0 }, seen, errorMs)
  const best = seen.tripMs < time.best.tripMs || looks === 1 ? seen : time.best
  const isTuned = looks === TUNE_EVERY_LOOKS
  const tuned = isTuned ? { offsetMs: best.wallOffsetMs + aheadMs, looks: 0 } : { looks }
  return settle({ ...time, best, ...tuned }, seen, 0)
}

/**
 * Settles on one time. The lease holder's prevails, which it publishes every second. While nobody holds the lease, that of
 * the running processes does, because the agreement is older than the step.
 */
function settle(before: Time, seen: Look, setByMs: number): Kept {
  const time = { ...before, toldAheadMs: seen.aheadMs }
  if (Math.abs(seen.aheadMs - time.aheadMs) <= STEP_MS)
    return { time: { ...time, aheadMs: seen.aheadMs, other: null }, setByMs, isToAgree: false }
  const other = time.other ?? { sinceMs: seen.atMs, aliveMs: seen.aliveMs }
  const isOver = seen.atMs - other.sinceMs >= STEADY_MS
  const isHeld = seen.aliveMs !== null && seen.aliveMs !== other.aliveMs
  // A process that has just started accepts the correction of others.
  const isCorrected = seen.atMs < time.sureFromMs && Math.abs(seen.aheadMs - before.toldAheadMs) > STEP_MS
  if (!isCorrected && !(isHeld && isOver)) return { time: { ...time, other }, setByMs, isToAgree: isOver }
  const followed = { offsetMs: seen.wallOffsetMs + seen.aheadMs, aheadMs: seen.aheadMs }
  return { time: { ...time, ...followed, other: null }, setByMs, isToAgree: false }
}
