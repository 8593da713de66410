import {
  type ListenerPlace,
  type Locale,
  locales,
  type PageName,
  pathOfPlace,
  placeAt,
} from '@solstice/contracts'

/** A page in a language. */
export interface PageAddress {
  page: PageName
  locale: Locale
  /** Place that the link opens over the player. */
  place?: ListenerPlace
  /** True for the copy of the player that browsers keep for when there is no network: it shows no track. */
  isOffline?: boolean
}

/** Where a browser gets that copy. */
export const OFFLINE_PATH = '/offline'

const names: Record<string, PageName> = {
  '': 'player',
  'index.html': 'player',
  guest: 'guest',
  embed: 'embed',
  adlogin: 'adlogin',
  adpanel: 'adpanel',
  status: 'status',
  away: 'away',
}

/**
 * The page at a path: Ukrainian, or below `/en` English; `lost` where there is none.
 *
 * @param chosen the language that a listener chose before. Their pages move from a bare path to the one of that language, and
 * are sent in it, so that nothing changes on the way.
 */
export function pageAt(path: string, chosen?: string): PageAddress {
  if (path === OFFLINE_PATH) return { page: 'player', locale: 'uk', isOffline: true }
  const [, prefix, rest = ''] = /^\/(?:(en)(?:\/|$))?(.*)$/.exec(path) ?? []
  const name = rest.replace(/(?<=.)\/$/, '').replace(/^adpanel\/[a-z-]+$/, 'adpanel')
  const place = placeAt(name)
  const page = Object.hasOwn(names, name) ? names[name]! : place ? 'player' : 'lost'
  const isChosen = chosen === 'en' && page !== 'adlogin' && page !== 'adpanel'
  return { page, locale: prefix === 'en' || isChosen ? 'en' : 'uk', ...(place && { place }) }
}

/** The path of a page in each language; null for `lost`. */
export function pathsOf(page: PageName, place?: ListenerPlace): Record<Locale, string> | null {
  if (page === 'lost') return null
  const name = place ? pathOfPlace(place) : page === 'player' ? '' : page
  const paths = locales.map((locale) => [locale, `${locale === 'uk' ? '' : `/${locale}`}/${name}`])
  return Object.fromEntries(paths) as Record<Locale, string>
}
