import { type Locale, locales } from '@solstice/contracts'

/**
 * The text of a server's message in a language, whatever its shape: a string, `{ uk, en }`, `{ code, uk, en }`,
 * `{ localized: { … } }`, an error body around one of these, or a JSON string that holds one. Falls back to
 * Ukrainian, then to any language; '' when there is no text at all.
 */
export function localizedText(message: unknown, locale: Locale): string {
  if (typeof message === 'string') {
    const parsed = /^\s*[{"]/.test(message) ? parse(message) : undefined
    return parsed === undefined ? message : localizedText(parsed, locale)
  }
  if (typeof message !== 'object' || message === null) return ''
  const fields = message as Record<string, unknown>
  for (const inner of [fields.localized, fields.error, fields.message])
    if (inner) return localizedText(inner, locale)
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
