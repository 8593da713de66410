import type { Mode } from '@solstice/contracts'
import type { Schedule } from '@solstice/playout'

/** When day and night begin, in the station's time zone. */
export interface DayParts {
  timeZone: string
  nightMode: boolean
  /** Hours, 0–23. */
  dayStartHour: number
  nightStartHour: number
}

const DAYS_AHEAD = 3

/** The natural mode at a moment and its changes over the next days, daylight saving time considered. */
export function scheduleOf(parts: DayParts, nowMs: number): Schedule {
  const { timeZone, nightMode, dayStartHour, nightStartHour } = parts
  if (!nightMode || dayStartHour === nightStartHour) return { natural: 'day', changes: [] }

  const starts: { hour: number; mode: Mode }[] = [
    { hour: dayStartHour, mode: 'day' },
    { hour: nightStartHour, mode: 'night' },
  ]
  const today = localDate(nowMs, timeZone)
  const changes = Array.from({ length: DAYS_AHEAD + 2 }, (_, i) => i - 1)
    .flatMap((days) =>
      starts.map(({ hour, mode }) => ({ atMs: momentOf(today, days, hour, 0, timeZone), mode })),
    )
    .sort((a, b) => a.atMs - b.atMs)
  const natural = changes.findLast((change) => change.atMs <= nowMs)?.mode ?? 'day'
  return { natural, changes: changes.filter((change) => change.atMs > nowMs) }
}

interface LocalDate {
  year: number
  month: number
  day: number
}

function localDate(atMs: number, timeZone: string): LocalDate {
  const { year, month, day } = wallClock(atMs, timeZone)
  return { year, month, day }
}

/**
 * The moment (epoch ms) at which the wall clock of a time zone shows `hour:minute`, some days after a date. A time that
 * daylight saving skips is taken as the same time an hour on; of a time that comes twice the first is taken.
 */
export function momentOf(
  date: LocalDate,
  days: number,
  hour: number,
  minute: number,
  timeZone: string,
): number {
  const asUtc = Date.UTC(date.year, date.month - 1, date.day + days, hour, minute)
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((atMs) => offsetMs(atMs, timeZone))
  const candidates = offsets.map((offset) => asUtc - offset).sort((a, b) => a - b)
  return candidates.find((atMs) => offsetMs(atMs, timeZone) === asUtc - atMs) ?? asUtc - offsets[0]!
}

function offsetMs(atMs: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallClock(atMs, timeZone)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000
}

function wallClock(atMs: number, timeZone: string) {
  const parts = formatter(timeZone).formatToParts(atMs)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((p) => p.type === type)!.value)
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(timeZone: string): Intl.DateTimeFormat {
  let made = formatters.get(timeZone)
  if (!made) {
    const numeric = 'numeric'
    made = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
    formatters.set(timeZone, made)
  }
  return made
}
