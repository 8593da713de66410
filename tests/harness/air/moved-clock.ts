import type { WallClock } from '@solstice/station'

/** An ISO 8601 moment, or epoch ms. */
export type Moment = string | number

/**
 * From now on this clock shows another moment and runs from there at its usual speed. All of the station that works with
 * it follows, Redis included; to be called before a worker is on air.
 *
 * @returns sets it again. Timers that run already do not notice.
 */
export function moveClock(clock: WallClock, moment: Moment): (moment: Moment) => void {
  let offsetMs = 0
  const set = (moment: Moment) => {
    offsetMs = (typeof moment === 'number' ? moment : Date.parse(moment)) - performance.now()
  }
  set(moment)
  clock.nowMs = () => performance.now() + offsetMs
  clock.aheadMs = () => 0
  return set
}
