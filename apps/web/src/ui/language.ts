import { type Locale, locales } from '@solstice/contracts'
import { readStored, writeStored } from './browser-storage.ts'

/** The pages of this client. */
export type PageName = 'player' | 'guest' | 'adlogin' | 'adpanel'

/** A page, and the language that its path names. */
export interface PageAddress {
  page: PageName
  locale: Locale
}

const LISTENER_CHOICE = 'radio_lang'
const ADMIN_CHOICE = 'lang'
const paths: Record<string, PageAddress> = {
  '/': { page: 'player', locale: 'uk' },
  '/index.html': { page: 'player', locale: 'uk' },
  '/en': { page: 'player', locale: 'en' },
  '/guest': { page: 'guest', locale: 'uk' },
  '/en/guest': { page: 'guest', locale: 'en' },
  '/adlogin': { page: 'adlogin', locale: 'uk' },
  '/en/adlogin': { page: 'adlogin', locale: 'en' },
  '/adpanel': { page: 'adpanel', locale: 'uk' },
  '/en/adpanel': { page: 'adpanel', locale: 'en' },
}

/** What is at a path; null = nothing we know. */
export function parsePath(path: string): PageAddress | null {
  const bare = path.length > 1 ? path.replace(/\/$/, '') : path
  return Object.hasOwn(paths, bare) ? paths[bare]! : null
}

export function pathOf({ page, locale }: PageAddress): string {
  const name = page === 'player' ? '' : page
  return locale === 'uk' ? `/${name}` : `/${locale}/${name}`
}

const choiceOf = (page: PageName) => (page.startsWith('ad') ? ADMIN_CHOICE : LISTENER_CHOICE)

/** What was chosen on an earlier visit: listeners and guests have one choice, admins their own. */
export function chosenLocale(page: PageName = 'player'): Locale | null {
  const choice = readStored(choiceOf(page))
  return locales.find((locale) => locale === choice) ?? null
}

export function chooseLocale({ page, locale }: PageAddress): void {
  writeStored(choiceOf(page), locale)
}

/**
 * The text of a server message in a language, whatever its shape: a string, `{ uk, en }`, `{ code, uk, en }`,
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
