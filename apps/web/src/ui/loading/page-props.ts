import type { Locale } from '@solstice/contracts'
import type { PageName } from '../language/language.ts'

/** The props of every page but the listener's. */
export interface PageProps {
  locale: Locale
  onLocale: (locale: Locale) => void
  /** Shows another page of this client instead of this one, in the same language. */
  goTo: (page: PageName) => void
}
