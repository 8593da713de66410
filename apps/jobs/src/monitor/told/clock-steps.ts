import type { Followed } from '../judge.ts'

/**
 * Processes learn within a second that a clock was set, each at its own look, and what was told before that is asked for again
 * within two more.
 */
export const SETTLED_MS = 5_000
/** The date of a segment stays what it was, so that the next one has to be cut. */
export const SEGMENTS_SETTLED_MS = 12_000
/** Between two looks, and on a line that hesitates. */
const SLACK_MS = 1_000

/**
 * Leaves out what was told with a date that jumped, until the jump has lasted: the clock may have been set, which some know sooner
 * than others. What merely falls behind is late by no more than the time that has passed.
 *
 * @param settledMs for how long a jump has to last.
 */
export function createStepFilter<T>(
  now: () => number,
  settledMs: number,
): (followed: Followed<T>, lateMs: (last: T) => number, limitMs: number) => Followed<T> {
  let goodAtMs = now()
  let jumpedAtMs: number | null = null
  return (followed, lateMs, limitMs) => {
    if (followed.last === null) return followed
    const offMs = lateMs(followed.last)
    const nowMs = now()
    if (Math.abs(offMs) <= limitMs) {
      goodAtMs = nowMs
      jumpedAtMs = null
      return followed
    }
    const mayBeBehind = offMs > 0 && offMs <= limitMs + (nowMs - goodAtMs) + SLACK_MS
    if (mayBeBehind && jumpedAtMs === null) return followed
    jumpedAtMs ??= nowMs
    return nowMs - jumpedAtMs < settledMs ? { ...followed, last: null } : followed
  }
}
