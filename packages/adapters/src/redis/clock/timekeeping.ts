/** A difference beyond this is no drift but somebody setting a clock. */
export const STEP_MS = 500
/** What the clocks drift apart is taken up so often, by the shortest round trip in between, as in NTP. */
const TUNE_EVERY_LOOKS = 30
/** So long a process stays with its own time when the station agrees on another: a step is put right within seconds. */
const STEADY_MS = 5_000

/** One look at the wall clock and at what the station agrees on, by the monotonic clock of the process that looks. */
export interface Look {
  atMs: number
  /** How long it took: the wall clock is known to within half of it. */
  tripMs: number
  /** The wall clock minus the monotonic clock. */
  wallOffsetMs: number
  /** By how much the station's clock is said to be ahead of the wall clock. */
  aheadMs: number
  /** Station time at which a lease holder was last seen; null = never. */
  aliveMs: number | null
  /** The moment, by the monotonic clock of this process, at which that was; null when it was on another boot or machine. */
  aliveAtMs: number | null
}

/** The time as a process knows it. */
export interface Time {
  /** The station's clock minus the monotonic clock. */
  offsetMs: number
  /** By how much the station's clock is ahead of the wall clock. */
  aheadMs: number
  /** From when on it holds against what others agree on; until then nothing but one look at the wall clock speaks for it. */
  sureFromMs: number
  best: Look
  /** How far ahead the station's clock was said to be at the last look. */
  toldAheadMs: number
  looks: number
  /** Since when the station agrees on another time, and when a lease holder had been seen by then. */
  other: { sinceMs: number; aliveMs: number | null } | null
}

/** What a look leads to. */
export interface Kept {
  time: Time
  /** By how much the wall clock was set; 0 = it was not. */
  setByMs: number
  /** The station is to agree on the time of this process. */
  isToAgree: boolean
}

/**
 * The time when a process starts. A holder that was seen on this boot of this machine tells how much has passed since by the
 * monotonic clock; else the wall clock has to say so, and time does not go back.
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

/** The time goes on evenly: a wall clock that was set changes how far ahead of it the station's is, and nothing else. */
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
 * The lease holder's time counts, which it says every second. While nobody holds the lease the one of living processes does:
 * then it is the station's agreement that is older than the step.
 */
function settle(before: Time, seen: Look, setByMs: number): Kept {
  const time = { ...before, toldAheadMs: seen.aheadMs }
  if (Math.abs(seen.aheadMs - time.aheadMs) <= STEP_MS)
    return { time: { ...time, aheadMs: seen.aheadMs, other: null }, setByMs, isToAgree: false }
  const other = time.other ?? { sinceMs: seen.atMs, aliveMs: seen.aliveMs }
  const isOver = seen.atMs - other.sinceMs >= STEADY_MS
  const isHeld = seen.aliveMs !== null && seen.aliveMs !== other.aliveMs
  // One that has only begun learns that others know better.
  const isCorrected = seen.atMs < time.sureFromMs && Math.abs(seen.aheadMs - before.toldAheadMs) > STEP_MS
  if (!isCorrected && !(isHeld && isOver)) return { time: { ...time, other }, setByMs, isToAgree: isOver }
  const followed = { offsetMs: seen.wallOffsetMs + seen.aheadMs, aheadMs: seen.aheadMs }
  return { time: { ...time, ...followed, other: null }, setByMs, isToAgree: false }
}
