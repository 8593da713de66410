import { type Static, Type } from 'typebox'

/** Prices of songs, in units of the currency, and when songs can be paid for. */
export const DonationSettings = Type.Object({
  currency: Type.String({ description: 'three capital letters' }),
  pricingMode: Type.Union([Type.Literal('fixed'), Type.Literal('calculated')]),
  fixedPrice: Type.Number(),
  pricePerSecond: Type.Number(),
  tiersEnabled: Type.Boolean(),
  tierCeiling: Type.Integer({ minimum: 2, maximum: 10 }),
  blockDonationsWhileChatting: Type.Boolean(),
})
export type DonationSettings = Static<typeof DonationSettings>

export const DonationStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('paid'),
  Type.Literal('paid_unqueued'),
  Type.Literal('failed'),
  Type.Literal('expired'),
])
export type DonationStatus = Static<typeof DonationStatus>
