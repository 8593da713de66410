import {
  type PageName as AnyPage,
  LISTENER_LANGUAGE,
  type ListenerPlace,
  type Locale,
  locales,
  pathOfPlace,
  placeAt,
} from '@solstice/contracts'
import { readStored, writeStored } from '../browser-storage.ts'
import { tellStation } from '../tell-station.ts'

/** The pages of this client among which one can move. */
export type PageName = Exclude<AnyPage, 'lost' | 'embed' | 'away'>

/** A page in a language, as a path names it. */
export interface PageAddress {
  page: PageName
  locale: Locale
  /** The part of the panel, such as `library`. */
  part?: string
  /** What a link opens over the player. */
  place?: ListenerPlace
}

const ADMIN_CHOICE = 'lang'
const paths: Record<string, PageAddress> = {
  '/': { page: 'player', locale: 'uk' },
  '/index.html': { page: 'player', locale: 'uk' },
  '/en': { page: 'player', locale: 'en' },
  '/guest': { page: 'guest', locale: 'uk' },
  '/en/guest': { page: 'guest', locale: 'en' },
  '/status': { page: 'status', locale: 'uk' },
  '/en/status': { page: 'status', locale: 'en' },
  '/adlogin': { page: 'adlogin', locale: 'uk' },
  '/en/adlogin': { page: 'adlogin', locale: 'en' },
  '/adpanel': { page: 'adpanel', locale: 'uk' },
  '/en/adpanel': { page: 'adpanel', locale: 'en' },
}

/** The page at a path; null when there is none. */
export function parsePath(path: string): PageAddress | null {
  const bare = path.length > 1 ? path.replace(/\/$/, '') : path
  if (paths[bare]) return paths[bare]
  const place = placeAt(bare.replace(/^(?:\/en)?\//, ''))
  if (place) return { page: 'player', locale: localeOf(bare), place }
  const [, panel, part] = /^((?:\/en)?\/adpanel)\/([a-z-]+)$/.exec(bare) ?? []
  return panel && part ? { ...paths[panel]!, part } : null
}

/** The language of any path, whether there is a page at it or not. */
export const localeOf = (path: string): Locale => (/^\/en(\/|$)/.test(path) ? 'en' : 'uk')

export function pathOf({ page, locale, part, place }: PageAddress): string {
  const name = place ? pathOfPlace(place) : page === 'player' ? '' : page
  return `${locale === 'uk' ? '' : `/${locale}`}/${name}${part ? `/${part}` : ''}`
}

const choiceOf = (page: PageName) => (page.startsWith('ad') ? ADMIN_CHOICE : LISTENER_LANGUAGE)

/** The language chosen on an earlier visit: listeners and guests share one choice, admins have their own. */
export function chosenLocale(page: PageName = 'player'): Locale | null {
  const choice = readStored(choiceOf(page))
  return locales.find((locale) => locale === choice) ?? null
}

export function chooseLocale({ page, locale }: PageAddress): void {
  writeStored(choiceOf(page), locale)
  tellLanguage(page, locale)
}

/** Lets the station send the next page in the language that a listener chose. */
export function tellLanguage(page: PageName, locale: Locale): void {
  if (choiceOf(page) === LISTENER_LANGUAGE) tellStation(LISTENER_LANGUAGE, locale)
}
