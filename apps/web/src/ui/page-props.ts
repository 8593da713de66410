import type { Locale } from '@solstice/contracts'
import type { PageName } from './language.ts'

/** What a page other than the listener's gets. */
export interface PageProps {
  locale: Locale
  onLocale: (locale: Locale) => void
  /** Shows another page of this client instead of this one, in the same language. */
  goTo: (page: PageName) => void
}
