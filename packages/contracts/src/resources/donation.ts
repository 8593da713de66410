import { type Static, Type } from 'typebox'

/** Prices of songs, in units of the currency, and when songs can be paid for. */
export const DonationSettings = Type.Object({
  currency: Type.String({ description: 'ISO 4217 code, such as `UAH`' }),
  pricingMode: Type.Union([Type.Literal('fixed'), Type.Literal('calculated')]),
  fixedPrice: Type.Number({ description: 'price of a song when `pricingMode` is `fixed`' }),
  pricePerSecond: Type.Number({
    description: 'price per second of a song when `pricingMode` is `calculated`',
  }),
  tiersEnabled: Type.Boolean(),
  tierCeiling: Type.Integer({ minimum: 2, maximum: 10, description: 'the highest tier on offer' }),
  blockDonationsWhileChatting: Type.Boolean(),
})
export type DonationSettings = Static<typeof DonationSettings>

export const DonationStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('paid'),
  Type.Literal('paid_unqueued'),
  Type.Literal('paid_back'),
  Type.Literal('failed'),
  Type.Literal('expired'),
])
export type DonationStatus = Static<typeof DonationStatus>
