import type { WallClock } from '@solstice/station'

/** An ISO 8601 moment, or epoch ms. */
export type Moment = string | number

/**
 * Moves this clock to another moment, from which it runs at its usual speed. Every part of the station that uses the clock
 * follows, Redis included; call it before a worker is on air.
 *
 * @returns a function that moves it again. Timers already running are not affected.
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
