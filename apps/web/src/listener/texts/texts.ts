import type { Locale } from '@solstice/contracts'
import type { Texts } from './uk.ts'

export type { Texts } from './uk.ts'

/** Each language is a file of its own, so that a listener fetches one of them. */
const files: Record<Locale, () => Promise<Texts>> = {
  uk: async () => (await import('./uk.ts')).uk,
  en: async () => (await import('./en.ts')).en,
}

const loaded = new Map<Locale, Texts>()

/** Fetches the texts of a language, once. Rejects when they can't be fetched. */
export async function loadTexts(locale: Locale): Promise<void> {
  if (!loaded.has(locale)) loaded.set(locale, await files[locale]())
}

/** The texts of a language that has been loaded. */
export function loadedTexts(locale: Locale): Texts {
  const texts = loaded.get(locale)
  if (!texts) throw new Error(`The texts in ${locale} are not loaded`)
  return texts
}
