import type { Locale } from '@solstice/contracts'

const formats = new Map<Locale, Intl.NumberFormat>()

/** A number with one decimal place as people of the locale write it: −16.2, in Ukrainian −16,2. */
export function tenth(value: number, locale: Locale): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  const format = formats.get(locale) ?? new Intl.NumberFormat(locale, digits)
  formats.set(locale, format)
  return format.format(value).replace('-', '−')
}
