import { Type } from 'typebox'
import { DonationSettings, DonationStatus } from '../../resources/donation.ts'
import { TrackId } from '../../resources/library/track.ts'
import { nullable } from '../../resources/schema.ts'
import { defineRoute, needs } from '../../route.ts'

export * from './orders.ts'

const EpochMs = Type.Number({ description: 'epoch ms' })
const Tier = nullable(Type.Integer({ description: 'null when tiers are off' }))
/** Read as a boolean, whatever was sent: the one place where the type of a JSON body is converted. */
const Lenient = Type.Optional(Type.Unknown())

const TRACK = 'day/Morning Tide.mp3'
const ID = '3a1c9d5e-7a52-4f0b-9d0e-6b0f3c1d2e47'
const SETTINGS = {
  currency: 'UAH',
  pricingMode: 'fixed',
  fixedPrice: 50,
  pricePerSecond: 0.02,
  tiersEnabled: true,
  tierCeiling: 5,
  blockDonationsWhileChatting: false,
}

export const getDonationSettings = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/settings',
  summary: 'Returns the prices and the payment service',
  access: 'admin',
  capability: 'donations',
  reply: Type.Object({
    settings: DonationSettings,
    radioHostsMode: Type.Boolean(),
    provider: nullable(
      Type.Object({
        id: Type.String(),
        displayName: Type.String(),
        supportedCurrencies: Type.Array(Type.String()),
      }),
    ),
    historyCurrencies: Type.Array(Type.String()),
    donationRetentionDays: Type.Number(),
  }),
  failures: ['DONATIONS_SETTINGS_LOAD_FAILED'],
  example: {
    reply: {
      settings: SETTINGS,
      radioHostsMode: false,
      provider: { id: 'matching_provider_1', displayName: 'Donatello', supportedCurrencies: ['UAH'] },
      historyCurrencies: ['UAH'],
      donationRetentionDays: 365,
    },
  },
})

export const saveDonationSettings = defineRoute({
  method: 'POST',
  path: '/api/admin/donations/settings',
  summary: 'Saves the prices; lowers a tier ceiling whose price the payment service could not charge',
  access: needs('donations_manage'),
  capability: 'donations',
  body: Type.Object({
    currency: Type.Optional(
      Type.String({ description: 'one of the `supportedCurrencies` of the payment service' }),
    ),
    pricingMode: Type.Optional(Type.Unknown({ description: '`calculated`; anything else means `fixed`' })),
    fixedPrice: Type.Optional(Type.Number({ description: 'ignored unless above 0' })),
    pricePerSecond: Type.Optional(Type.Number({ description: 'ignored unless above 0' })),
    tiersEnabled: Lenient,
    tierCeiling: Type.Optional(Type.Number({ description: 'rounded and limited to 2–10' })),
    blockDonationsWhileChatting: Lenient,
  }),
  reply: Type.Object({
    settings: DonationSettings,
    clamped: Type.Boolean({ description: 'whether the tier ceiling was lowered' }),
  }),
  failures: ['BAD_REQUEST', 'DONATIONS_SETTINGS_SAVE_FAILED'],
  example: { body: SETTINGS, reply: { settings: SETTINGS, clamped: false } },
})

export const previewDonationPrice = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/price-preview',
  summary: 'Returns the price of the first tier under the saved settings',
  access: needs('donations_manage'),
  capability: 'donations',
  query: Type.Object({
    durationSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        description: 'seconds; default: the longest track of the library',
      }),
    ),
  }),
  reply: Type.Object({ basePrice: Type.Number() }),
  failures: ['BAD_REQUEST', 'DONATIONS_SETTINGS_LOAD_FAILED'],
  example: { query: { durationSeconds: 180 }, reply: { basePrice: 50 } },
})

/**
 * For the payment services, which do not retry what was answered 200: so a delivery that is rejected is, too. What is accepted
 * is written first; when it cannot be written the connection is closed without an answer, and the service delivers again.
 */
export const receiveDelivery = defineRoute({
  method: 'POST',
  path: '/webhooks/donations/:provider',
  summary:
    'Receives a webhook of a payment service, in its own format; always answers 200 if the service is configured',
  access: 'public',
  params: Type.Object({ provider: Type.String({ maxLength: 2000 }) }),
  body: {
    upload: '*',
    maxBytes: 256 * 1024,
    description: 'exactly as the service signed it; at most 256 KB',
  },
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true } },
})

export const getDonationTiers = defineRoute({
  method: 'GET',
  path: '/api/public/donations/tiers',
  summary: 'Returns the price of queueing a song in each tier; a tier costs twice the one below',
  access: 'public',
  capability: 'donations',
  query: Type.Object({ songId: TrackId }),
  reply: Type.Object({
    currency: Type.String(),
    pricingMode: DonationSettings.properties.pricingMode,
    tiersEnabled: Type.Boolean(),
    tiers: Type.Array(Type.Object({ tier: Type.Integer(), price: Type.Number() })),
    flowType: Type.Union([Type.Literal('checkout'), Type.Literal('matching')]),
    chattingBlocked: Type.Boolean(),
  }),
  failures: [
    'BAD_REQUEST',
    'SONG_NOT_FOUND',
    'TRACK_LOCKED',
    'SONG_OFF_AIR',
    'SONG_NOT_ORDERABLE',
    'DONATIONS_TIERS_FAILED',
  ],
  example: {
    query: { songId: TRACK },
    reply: {
      currency: 'UAH',
      pricingMode: 'fixed',
      tiersEnabled: true,
      tiers: [
        { tier: 1, price: 50 },
        { tier: 2, price: 100 },
      ],
      flowType: 'matching',
      chattingBlocked: false,
    },
  },
})

export const createDonation = defineRoute({
  method: 'POST',
  path: '/api/public/donations/create',
  summary: 'Orders a song, which is queued once the payment is confirmed',
  access: 'public',
  capability: 'donations',
  body: Type.Object({ songId: TrackId, tier: Type.Optional(Type.Integer()) }),
  reply: Type.Union([
    Type.Object({
      donationId: Type.String(),
      flowType: Type.Literal('checkout'),
      redirectUrl: Type.String(),
    }),
    Type.Object({
      donationId: Type.String(),
      flowType: Type.Literal('matching'),
      pageUrl: Type.String(),
      matchCode: Type.String(),
      amount: Type.Number(),
      currency: Type.String(),
      expiresAt: EpochMs,
    }),
  ]),
  failures: [
    'BAD_REQUEST',
    'TIER_UNAVAILABLE',
    'SONG_NOT_FOUND',
    'TRACK_LOCKED',
    'SONG_OFF_AIR',
    'SONG_NOT_ORDERABLE',
    'DONATIONS_PAUSED',
    'DONATIONS_FULL',
    'RATE_LIMITED',
    'DONATIONS_CREATE_FAILED',
    'AIR_UNAVAILABLE',
  ],
  example: {
    body: { songId: TRACK, tier: 1 },
    reply: {
      donationId: ID,
      flowType: 'matching',
      pageUrl: 'https://donations.example/solstice',
      matchCode: 'K7RW2P',
      amount: 50,
      currency: 'UAH',
      expiresAt: 1_790_000_900_000,
    },
  },
})

export const getDonationStatus = defineRoute({
  method: 'GET',
  path: '/api/public/donations/:id/status',
  summary: 'Returns the status of an order',
  access: 'public',
  capability: 'donations',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 2000 }) }),
  reply: Type.Object({
    status: DonationStatus,
    tier: Tier,
    matchCode: nullable(Type.String()),
    expiresAt: nullable(EpochMs),
    airsAt: nullable(
      Type.Number({
        description:
          'epoch ms at which the song goes on air: an estimate while it is queued, exact once it has started; otherwise null',
      }),
    ),
  }),
  failures: ['NOT_FOUND', 'DONATIONS_STATUS_FAILED'],
  example: {
    reply: {
      status: 'pending',
      tier: 1,
      matchCode: 'K7RW2P',
      expiresAt: 1_790_000_900_000,
      airsAt: null,
    },
  },
})
