/** How much this device has listened. */
export interface Listened {
  seconds: number
  /** The last days on which it did, such as `2026-11-23`. */
  days: readonly string[]
}

const REGULAR_DAYS = 2
const REGULAR_S = 15 * 60

export const notYet: Listened = { seconds: 0, days: [] }

/** True for somebody who listened on two days, or for a quarter of an hour. */
export const isRegular = ({ seconds, days }: Listened): boolean =>
  seconds >= REGULAR_S || days.length >= REGULAR_DAYS

/** After some more seconds on a day. */
export const withSeconds = ({ seconds, days }: Listened, more: number, day: string): Listened => ({
  seconds: seconds + more,
  days: days.includes(day) ? days : [...days, day].slice(-REGULAR_DAYS),
})

/** As it was stored; none when that can't be read. */
export function parseListened(json: string | null): Listened {
  try {
    const { seconds, days } = JSON.parse(json ?? '') as Partial<Listened>
    const isWhole = typeof seconds === 'number' && seconds >= 0 && Array.isArray(days)
    return isWhole ? { seconds, days: days.filter((day) => typeof day === 'string') } : notYet
  } catch {
    return notYet
  }
}
