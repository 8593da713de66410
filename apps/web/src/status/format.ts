import type { Locale } from '@solstice/contracts'
import type { StatusTexts } from './texts.ts'

const DAY_MS = 24 * 3_600_000

/** A share of the time in percent, cut: what was interrupted is never 100 %. */
export function percent(share: number, locale: Locale): string {
  const digits = share === 1 ? 0 : share > 0.999 ? 3 : 2
  const step = 10 ** (digits + 2)
  const style = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, style).format(Math.floor(share * step + 1e-9) / step)
}

/** A moment by the clock of the station: its time, and the day unless it is within the last hours. */
export function momentText(
  atMs: number,
  { locale, timeZone }: { locale: Locale; timeZone: string },
  nowMs: number,
) {
  const date = nowMs - atMs > DAY_MS / 2 ? ({ day: 'numeric', month: 'long' } as const) : {}
  return new Intl.DateTimeFormat(locale, {
    ...date,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(atMs)
}

/** `2026-11-23` as people write it. */
export const dateLine = (date: string, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${date}T00:00:00Z`),
  )

export function durationText(ms: number, t: StatusTexts): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 100) return t.seconds(seconds)
  const minutes = Math.round(seconds / 60)
  return minutes < 100 ? t.minutes(minutes) : t.hours(Math.floor(minutes / 60), minutes % 60)
}
