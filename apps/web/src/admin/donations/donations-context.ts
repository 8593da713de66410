import type { Locale } from '@solstice/contracts'
import { useAdmin } from '../data/panel.ts'
import type { ReplyOf } from '../data/routes.ts'
import { type DonationTexts, donationTexts } from './texts.ts'

export const HISTORY = '/api/admin/donations/history'
export const RULE = { allOf: ['donations_manage'], capabilities: ['donations'] } as const

export type Order = ReplyOf<`GET ${typeof HISTORY}`>['entries'][number]

/** Brand names by the ids under which orders are stored. */
const services: Record<string, string> = {
  checkout_provider_1: 'LiqPay',
  checkout_provider_2: 'Stripe',
  matching_provider_1: 'Donatello',
  matching_provider_2: 'Ko-fi',
}
export const serviceName = (id: string): string => services[id] ?? id

export const useDonationTexts = (): DonationTexts => donationTexts[useAdmin().locale]

/** Formats moments (epoch ms) on the station's clock: 23 Nov, 14:32. */
export function useMoment(): (atMs: number) => string {
  const { locale, config } = useAdmin()
  return (atMs) => momentFormat(locale, config.timeZone).format(atMs)
}

function momentFormat(locale: Locale, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
