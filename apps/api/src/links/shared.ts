import { type Locale, locales, type NowPlaying, sharing } from '@solstice/contracts'
import { CARD_HEIGHT, CARD_WIDTH, type Card } from './card.ts'
import { versionOf } from './pictures.ts'

/** The station's page in each language. */
export const listenerPaths: Record<Locale, string> = { uk: '/', en: '/en/' }

/** The picture for a link that is shared now. */
export function cardOf({ station, mode, current }: NowPlaying, lang: Locale): Card {
  const song = current && { title: current.title, artist: current.artist }
  return { mode, lang, station: station.name[lang], song }
}

/** Address and size of that picture. */
export interface SharedPicture {
  url: string
  width: number
  height: number
}

export function pictureOf(now: NowPlaying, lang: Locale): SharedPicture {
  const query = new URLSearchParams({ lang, v: versionOf(cardOf(now, lang)) })
  const url = new URL(`${sharing.getSharePicture.path}?${query}`, now.station.url).href
  return { url, width: CARD_WIDTH, height: CARD_HEIGHT }
}

/** The track on air in a line; '' without one. */
export function trackLine({ current }: NowPlaying): string {
  return current ? [current.title, current.artist].filter((text) => text.trim()).join(' · ') : ''
}

/** The language of a listener page; null when the address is another. */
export function languageOf(url: string, origin: string): Locale | null {
  if (!URL.canParse(url)) return null
  const asked = new URL(url)
  if (asked.host !== new URL(origin).host) return null
  const path = asked.pathname.replace(/\/?$/, '/')
  return locales.find((locale) => listenerPaths[locale] === path) ?? null
}
