/** The languages of the service; every text a person may see exists in each of them. */
export const locales = ['uk', 'en'] as const
export type Locale = (typeof locales)[number]
