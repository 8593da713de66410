import type { Locale } from '@solstice/contracts'

const formats = new Map<string, Intl.DateTimeFormat>()

function format(locale: Locale, timeZone: string, what: 'day' | 'time'): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${what}`
  const known = formats.get(key)
  if (known) return known
  const shown: Intl.DateTimeFormatOptions =
    what === 'day'
      ? { weekday: 'short', day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }
  const made = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'uk', { timeZone, ...shown })
  formats.set(key, made)
  return made
}

/** The day of a moment (epoch ms) in the station's time zone: Mon, 23 Nov. */
export const dayOf = (atMs: number, locale: Locale, timeZone: string): string =>
  format(locale, timeZone, 'day').format(atMs)

/** The time of day of a moment (epoch ms) in the station's time zone: 14:32:05. */
export const timeOf = (atMs: number, locale: Locale, timeZone: string): string =>
  format(locale, timeZone, 'time').format(atMs)
