import type { DonationSettings } from '@solstice/contracts'

type Pricing = Pick<
  DonationSettings,
  'pricingMode' | 'fixedPrice' | 'pricePerSecond' | 'tiersEnabled' | 'tierCeiling'
>

/** The settings of a form that isn't saved yet, as they are typed. */
export interface PriceDraft extends Omit<DonationSettings, 'fixedPrice' | 'pricePerSecond' | 'tierCeiling'> {
  fixedPrice: string
  pricePerSecond: string
  tierCeiling: string
}

const MAX_PRICE = 1_000_000

export const draftOf = (settings: DonationSettings): PriceDraft => ({
  ...settings,
  fixedPrice: String(settings.fixedPrice),
  pricePerSecond: String(settings.pricePerSecond),
  tierCeiling: String(settings.tierCeiling),
})

/** A price as it may be typed, with a comma too; null when it is none that the station would take. */
export function readPrice(typed: string): number | null {
  const price = Number(typed.trim().replace(',', '.') || Number.NaN)
  return price > 0 && price <= MAX_PRICE ? price : null
}

/** A ceiling of tiers; null when there is no such tier. */
export function readCeiling(typed: string): number | null {
  const ceiling = Number(typed.trim() || Number.NaN)
  return Number.isInteger(ceiling) && ceiling >= 2 && ceiling <= 10 ? ceiling : null
}

/** The fields as settings; null when a field that counts can't be read. Fields that don't count stay as they were saved. */
export function settingsOf(draft: PriceDraft, saved: DonationSettings): DonationSettings | null {
  const isFixed = draft.pricingMode === 'fixed'
  const fixedPrice = readPrice(draft.fixedPrice) ?? (isFixed ? null : saved.fixedPrice)
  const pricePerSecond = readPrice(draft.pricePerSecond) ?? (isFixed ? saved.pricePerSecond : null)
  const tierCeiling = readCeiling(draft.tierCeiling) ?? (draft.tiersEnabled ? null : saved.tierCeiling)
  if (fixedPrice === null || pricePerSecond === null || tierCeiling === null) return null
  return { ...draft, fixedPrice, pricePerSecond, tierCeiling }
}

/**
 * The price of a track of this length in each tier, in units of the currency: as the station counts it, in whole hundredths
 * and twice as much for each tier.
 */
export function tierPrices(pricing: Pricing, durationS: number): number[] {
  const { pricingMode, fixedPrice, pricePerSecond, tiersEnabled, tierCeiling } = pricing
  const price = pricingMode === 'fixed' ? fixedPrice : pricePerSecond * Math.max(1, durationS)
  const firstMinor = Math.max(1, Math.round(Number((price * 100).toPrecision(12))))
  return Array.from({ length: tiersEnabled ? tierCeiling : 1 }, (_, i) => (firstMinor * 2 ** i) / 100)
}
