import type { HistoryItem } from '@solstice/contracts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A track that began longer ago is over: then nothing was on. */
const LONGEST_TRACK_MS = 3 * HOUR_MS

function partsOf(atMs: number, timeZone: string): Record<string, string> {
  const numbers = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat('en-GB', { ...numbers, hourCycle: 'h23', timeZone })
  return Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
}

/** The day of a moment by the clock of a time zone: `YYYY-MM-DD`. */
export function dateIn(atMs: number, timeZone: string): string {
  const { year, month, day } = partsOf(atMs, timeZone)
  return `${year}-${month}-${day}`
}

/** The time of day of a moment by the clock of a time zone: `HH:MM`. */
export function timeIn(atMs: number, timeZone: string): string {
  const { hour, minute } = partsOf(atMs, timeZone)
  return `${hour}:${minute}`
}

/** A day before or after: `YYYY-MM-DD`. */
export const dayAfter = (date: string, days: number): string => {
  const day = new Date(`${date}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() + days)
  return day.toISOString().slice(0, 10)
}

/**
 * The moments of a day at which its clock shows this time: two when the hour comes twice, and of an hour that is left out the
 * moment that comes as long after midnight.
 */
export function momentsAt(day: { from: number; timeZone: string }, time: string): number[] {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const guess = day.from + hour * HOUR_MS + minute * MINUTE_MS
  const date = dateIn(day.from, day.timeZone)
  const shifts = [-HOUR_MS, -HOUR_MS / 2, 0, HOUR_MS / 2, HOUR_MS]
  const found = shifts
    .map((shift) => guess + shift)
    .filter((atMs) => dateIn(atMs, day.timeZone) === date && timeIn(atMs, day.timeZone) === time)
  return found.length ? found : [guess]
}

/** The tracks that were on during the minutes that begin at these moments; of two in a minute, the later one. */
export function tracksAt<T extends Pick<HistoryItem, 'playedAt'>>(
  tracks: readonly T[],
  moments: readonly number[],
): Set<T> {
  const on = moments.map((atMs) => {
    const last = tracks.findLast(({ playedAt }) => playedAt < atMs + MINUTE_MS)
    return last && atMs - last.playedAt < LONGEST_TRACK_MS ? last : null
  })
  return new Set(on.filter((track) => track !== null))
}

/** A day as other programs read it: a heading with the zone of the times, then a line for each track. */
export function textOfDay(
  tracks: readonly Pick<HistoryItem, 'playedAt' | 'title' | 'artist'>[],
  timeZone: string,
  title: string,
): string {
  const lines = tracks.map(
    ({ playedAt, title, artist }) =>
      `${timeIn(playedAt, timeZone)}  ${[artist, title].filter(Boolean).join(' — ')}`,
  )
  return [`${title} (${timeZone})`, '', ...lines, ''].join('\n')
}

/** Minutes by which this device's clock is ahead of the station's at a moment; negative = behind. */
export function minutesAhead(atMs: number, timeZone: string, ownZone?: string): number {
  const asUtc = (zone: string | undefined) => {
    const { year, month, day, hour, minute } = partsOf(atMs, zone as string)
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
  }
  return (asUtc(ownZone) - asUtc(timeZone)) / MINUTE_MS
}
