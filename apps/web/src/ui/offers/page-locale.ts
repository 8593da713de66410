import type { Locale } from '@solstice/contracts'

/** The language that the page is shown in. */
export const pageLocale = (): Locale => (document.documentElement.lang === 'en' ? 'en' : 'uk')
