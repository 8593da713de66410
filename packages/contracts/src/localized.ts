import { type Static, Type } from 'typebox'

/** The languages of the service; every text a person may see exists in each of them. */
export const locales = ['uk', 'en'] as const
export type Locale = (typeof locales)[number]

export const Localized = Type.Object(
  { uk: Type.String(), en: Type.String() },
  { description: 'the same text in every language' },
)
export type Localized = Static<typeof Localized>
