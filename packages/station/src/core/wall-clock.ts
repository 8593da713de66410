import type { Mode } from '@solstice/contracts'
import type { Schedule } from '@solstice/playout'
import type { WallClock } from '../ports/bus.ts'

/** The hours at which day and night begin, in the station's time zone. */
export interface DayParts {
  timeZone: string
  nightMode: boolean
  /** Hours, 0–23. */
  dayStartHour: number
  nightStartHour: number
}

const DAYS_AHEAD = 3

/** The current date, whole epoch ms: for anything that is stored or shown as a date. */
export const dateNow = (clock: WallClock): number => Math.floor(clock.nowMs() - clock.aheadMs())

/** The date of a moment of the station's clock, whole epoch ms. */
export const dateOf = (clock: WallClock, atMs: number): number => Math.round(atMs - clock.aheadMs())

/** The natural mode at a moment and its changes over the next days, with daylight saving time. */
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

/** The same by the wall clock, in moments of the station's clock. */
export function scheduleNow(parts: DayParts, clock: WallClock): Schedule {
  const aheadMs = clock.aheadMs()
  const { natural, changes } = scheduleOf(parts, clock.nowMs() - aheadMs)
  return { natural, changes: changes.map(({ atMs, mode }) => ({ atMs: atMs + aheadMs, mode })), aheadMs }
}

/** The last moment (epoch ms), up to now, at which a full hour began by the wall clock of a time zone. */
export function lastHour(hour: number, timeZone: string, nowMs: number): number {
  const today = localDate(nowMs, timeZone)
  const todayMs = momentOf(today, 0, hour, 0, timeZone)
  return todayMs <= nowMs ? todayMs : momentOf(today, -1, hour, 0, timeZone)
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

/** The next moment (epoch ms) at which the wall clock of a time zone shows `hour:minute`: today or, if that is past, tomorrow. */
export function nextMomentOf(hour: number, minute: number, timeZone: string, nowMs: number): number {
  const today = localDate(nowMs, timeZone)
  const moments = [0, 1, 2].flatMap((days) => momentsOf(today, days, hour, minute, timeZone))
  return moments.find((atMs) => atMs > nowMs)!
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
  return momentsOf(date, days, hour, minute, timeZone)[0]!
}

/**
 * The day of a date `YYYY-MM-DD` by the wall clock of a time zone, epoch ms, the end exclusive; 23 to 25 hours. null when there is no such
 * date.
 */
export function dayOf(text: string, timeZone: string): { fromMs: number; untilMs: number } | null {
  const asUtc = new Date(`${text}T00:00:00Z`)
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 10) !== text) return null
  const date = { year: asUtc.getUTCFullYear(), month: asUtc.getUTCMonth() + 1, day: asUtc.getUTCDate() }
  return { fromMs: momentOf(date, 0, 0, 0, timeZone), untilMs: momentOf(date, 1, 0, 0, timeZone) }
}

/** The date `YYYY-MM-DD` that the wall clock of a time zone shows at a moment. */
export function dateText(atMs: number, timeZone: string): string {
  const { year, month, day } = localDate(atMs, timeZone)
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
}

/** All such moments of that day, in order: two when the hour comes twice, else one. */
function momentsOf(date: LocalDate, days: number, hour: number, minute: number, timeZone: string): number[] {
  const asUtc = Date.UTC(date.year, date.month - 1, date.day + days, hour, minute)
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((atMs) => offsetMs(atMs, timeZone))
  const candidates = [...new Set(offsets)].map((offset) => asUtc - offset).sort((a, b) => a - b)
  const real = candidates.filter((atMs) => offsetMs(atMs, timeZone) === asUtc - atMs)
  return real.length > 0 ? real : [asUtc - offsets[0]!]
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
