import { type Locale, locales } from '@solstice/contracts'
import { keep, recall } from './memory.ts'

const CHOICE = 'radio_lang'

/** Where a page is, by its path alone; null = nowhere we know. */
export function localeOfPath(path: string): Locale | null {
  if (path === '/' || path === '/index.html') return 'uk'
  if (path === '/en' || path === '/en/') return 'en'
  return null
}

export const pathOfLocale = (locale: Locale): string => (locale === 'uk' ? '/' : '/en/')

/** What the listener chose on an earlier visit. */
export function chosenLocale(): Locale | null {
  const choice = recall(CHOICE)
  return locales.find((locale) => locale === choice) ?? null
}

export function chooseLocale(locale: Locale): void {
  keep(CHOICE, locale)
}

/**
 * The text of a server message in a language, whatever its shape: a string, `{ uk, en }`, `{ code, uk, en }`,
 * `{ localized: { … } }`, an error body around one of these, or a JSON string that holds one. Falls back to
 * Ukrainian, then to any language; '' when there is no text at all.
 */
export function textOf(message: unknown, locale: Locale): string {
  if (typeof message === 'string') {
    const parsed = /^\s*[{"]/.test(message) ? parse(message) : undefined
    return parsed === undefined ? message : textOf(parsed, locale)
  }
  if (typeof message !== 'object' || message === null) return ''
  const fields = message as Record<string, unknown>
  for (const inner of [fields.localized, fields.error, fields.message])
    if (inner) return textOf(inner, locale)
  const texts = [fields[locale], fields.uk, ...locales.map((other) => fields[other])]
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? ''
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
