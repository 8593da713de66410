import type { DonationSettings } from '@solstice/contracts'
import { ASSUMED_DURATION_MS } from '@solstice/playout'

// Amounts are whole hundredths of the currency: doubled and compared, they stay exact.

export const TIER_CEILING = { min: 2, max: 10 }
const ASSUMED_DURATION_S = ASSUMED_DURATION_MS / 1000

/** The settings that decide a price. */
export type Pricing = Pick<
  DonationSettings,
  'pricingMode' | 'fixedPrice' | 'pricePerSecond' | 'tiersEnabled' | 'tierCeiling'
>

/** A tier and its price. */
export interface PricedTier {
  tier: number
  amountMinor: number
}

/**
 * The price of the first tier; at least a hundredth, because nothing is queued for free.
 *
 * @param durationS the length of the track; an unknown one counts as 180 s.
 */
export function basePriceMinor(pricing: Pricing, durationS: number | null): number {
  const { pricingMode, fixedPrice, pricePerSecond } = pricing
  const price =
    pricingMode === 'fixed' ? fixedPrice : pricePerSecond * Math.max(1, durationS ?? ASSUMED_DURATION_S)
  return Math.max(1, toMinor(price))
}

/**
 * The tiers that can be paid for, the cheapest first, each at twice the price of the one before; a single one if tiers are
 * off. Empty when even the first costs more than the provider takes.
 *
 * @param mostMinor the most per transaction.
 */
export function tiersOf(pricing: Pricing, durationS: number | null, mostMinor: number): PricedTier[] {
  const baseMinor = basePriceMinor(pricing, durationS)
  const ceiling = pricing.tiersEnabled ? pricing.tierCeiling : 1
  return Array.from({ length: ceiling }, (_, i) => ({
    tier: i + 1,
    amountMinor: tierPrice(baseMinor, i + 1),
  })).filter(({ amountMinor }) => amountMinor <= mostMinor)
}

/**
 * The highest ceiling, at most that of the settings and at least 2, whose top tier the provider takes for the longest track.
 *
 * @param longestS the length of the longest track.
 */
export function chargeableCeiling(pricing: Pricing, longestS: number | null, mostMinor: number): number {
  const baseMinor = basePriceMinor(pricing, longestS)
  let ceiling = pricing.tierCeiling
  while (ceiling > TIER_CEILING.min && tierPrice(baseMinor, ceiling) > mostMinor) ceiling--
  return ceiling
}

function tierPrice(baseMinor: number, tier: number): number {
  return baseMinor * 2 ** (tier - 1)
}

/** Rounds to the nearest hundredth, halves up: 1.005, a little less in binary, gives 1.01. */
function toMinor(price: number): number {
  return Math.round(Number((price * 100).toPrecision(12)))
}
