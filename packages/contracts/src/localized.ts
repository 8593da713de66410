import { type Static, Type } from 'typebox'

export const Localized = Type.Object(
  { uk: Type.String(), en: Type.String() },
  { description: 'the same text in every language' },
)
export type Localized = Static<typeof Localized>
