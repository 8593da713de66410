import type { Locale } from '@solstice/contracts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** A moment (epoch ms) with its day, in the station's time zone: 23 Nov, 14:32:05. */
export function momentText(atMs: number, locale: Locale, timeZone: string): string {
  const key = `${locale} ${timeZone}`
  const known = formats.get(key)
  if (known) return known.format(atMs)
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  const shown = { day: 'numeric', month: 'short', ...time, timeZone } as const
  const made = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'uk', shown)
  formats.set(key, made)
  return made.format(atMs)
}
