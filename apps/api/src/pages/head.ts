import type { Locale, Mode, PageName, PageView, RadioState } from '@solstice/contracts'
import { type Html, html } from './html.ts'

/** A page and the moment it is sent: all that its head may speak of. */
export interface PageFacts extends Omit<PageView, 'body'> {
  page: PageName
  locale: Locale
  mode: Mode
  /** The station's public address, such as `https://radio.example`. */
  origin: string
  /** Path of the page in its own language; null for a page that doesn't exist. */
  path: string | null
  /** The same page in every language; null as above. */
  translations: Record<Locale, string> | null
  /** The air at this moment, as listeners get it. */
  state: RadioState
}

/** The tags of a page's head, but for scripts and style sheets. */
export function headTags({ title, description, stationName, themeColor }: PageFacts): Html {
  return html`<title>${title}</title>
<meta name="description" content="${description}">
<meta name="application-name" content="${stationName}">
<meta name="theme-color" content="${themeColor}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/icon-192.png">
<link rel="manifest" href="/manifest.webmanifest">`
}
