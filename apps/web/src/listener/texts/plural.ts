import type { Locale } from '@solstice/contracts'

/** The words for one, few and many of something: Ukrainian has all three, English the first and the last. */
export interface Plural {
  one: string
  few?: string
  many: string
}

/** `n` with the right word after it, by the rules of the language. */
export function counted(n: number, words: Plural, locale: Locale): string {
  const rule = new Intl.PluralRules(locale).select(n)
  return `${n} ${rule === 'one' ? words.one : rule === 'few' ? (words.few ?? words.many) : words.many}`
}
