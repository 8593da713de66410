import { Type } from 'typebox'
import { DonationSettings, DonationStatus } from '../resources/donation.ts'
import { nullable, Offset } from '../resources/schema.ts'
import { TrackId } from '../resources/track.ts'
import { defineRoute, needs } from '../route.ts'

const EpochMs = Type.Number({ description: 'epoch ms' })
const Tier = nullable(Type.Integer({ description: 'null without tiers' }))
/** Read as a boolean, whatever was sent: the one place where the type of a JSON body is converted. */
const Lenient = Type.Optional(Type.Unknown())

const SONG = 'day/Morning Tide.mp3'
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
  summary: 'What a song costs, and through whom it is paid',
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
  summary: 'Saves what a song costs; a ceiling that the provider could not charge is lowered',
  access: needs('donations_manage'),
  capability: 'donations',
  body: Type.Object({
    currency: Type.Optional(Type.String({ description: 'one that the provider takes' })),
    pricingMode: Type.Optional(Type.Unknown({ description: '`calculated`; anything else is `fixed`' })),
    fixedPrice: Type.Optional(Type.Number({ description: 'what is not above 0 changes nothing' })),
    pricePerSecond: Type.Optional(Type.Number({ description: 'what is not above 0 changes nothing' })),
    tiersEnabled: Lenient,
    tierCeiling: Type.Optional(Type.Number({ description: 'rounded, and brought into 2 to 10' })),
    blockDonationsWhileChatting: Lenient,
  }),
  reply: Type.Object({
    settings: DonationSettings,
    clamped: Type.Boolean({ description: 'the ceiling was lowered' }),
  }),
  failures: ['BAD_REQUEST', 'DONATIONS_SETTINGS_SAVE_FAILED'],
  example: { body: SETTINGS, reply: { settings: SETTINGS, clamped: false } },
})

export const getDonationHistory = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/history',
  summary: 'Donations, newest first',
  access: needs('donations_manage'),
  capability: 'donations',
  query: Type.Object({
    window: Type.Optional(Type.String({ description: '`24h`, `7d`, `30d` or `max` (default)' })),
    limit: Type.Integer({ minimum: 1, default: 30, description: 'at most 200' }),
    offset: Offset,
  }),
  reply: Type.Object({
    entries: Type.Array(
      Type.Object({
        id: Type.String(),
        uid: Type.String(),
        songId: TrackId,
        songTitle: Type.String(),
        songArtist: Type.String(),
        provider: Type.String(),
        currency: Type.String(),
        amount: Type.Number(),
        tier: Tier,
        status: DonationStatus,
        createdAt: EpochMs,
        paidAt: nullable(EpochMs),
      }),
    ),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
  }),
  failures: ['BAD_REQUEST', 'DONATIONS_HISTORY_FAILED'],
  example: {
    query: { window: '7d' },
    reply: {
      entries: [
        {
          id: ID,
          uid: '0f3a9c1d2e4b5a6978c0d1e2f3a4b5c6d7e8',
          songId: SONG,
          songTitle: 'Morning Tide',
          songArtist: 'Hilda',
          provider: 'matching_provider_1',
          currency: 'UAH',
          amount: 50,
          tier: 1,
          status: 'paid',
          createdAt: 1_790_000_000_000,
          paidAt: 1_790_000_060_000,
        },
      ],
      total: 1,
      offset: 0,
      limit: 30,
    },
  },
})

export const getDonationLedger = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/:id/ledger',
  summary: 'All that happened to a donation, in order',
  access: needs('donations_manage'),
  capability: 'donations',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 2000 }) }),
  reply: Type.Object({
    entries: Type.Array(
      Type.Object({
        event: Type.String({
          description: '`created`, `delivered`, `claimed`, `queued`, `on-air`, `finished` or `refused`',
        }),
        at: EpochMs,
        note: Type.String({ description: 'why, by which payment, or at which frame of the broadcast' }),
      }),
    ),
  }),
  failures: ['NOT_FOUND', 'DONATIONS_HISTORY_FAILED'],
  example: {
    reply: {
      entries: [
        { event: 'created', at: 1_790_000_000_000, note: '' },
        { event: 'delivered', at: 1_790_000_059_000, note: 'matching_provider_1 2f6c' },
        { event: 'claimed', at: 1_790_000_059_010, note: 'matching_provider_1 2f6c' },
        { event: 'queued', at: 1_790_000_059_100, note: '' },
        { event: 'on-air', at: 1_790_000_200_000, note: 'frame 5310421' },
      ],
    },
  },
})

export const previewDonationPrice = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/price-preview',
  summary: 'What the first tier costs by the saved settings',
  access: needs('donations_manage'),
  capability: 'donations',
  query: Type.Object({
    durationSeconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 86_400, description: 'default: the longest track of the library' }),
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
  summary: 'A payment service tells of a payment, in its own form; always 200 where the service is set up',
  access: 'public',
  params: Type.Object({ provider: Type.String({ maxLength: 2000 }) }),
  body: {
    upload: '*',
    maxBytes: 256 * 1024,
    description: 'as the service signs it; more than 256 KB is not read',
  },
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true } },
})

export const getDonationTiers = defineRoute({
  method: 'GET',
  path: '/api/public/donations/tiers',
  summary: 'What it costs to have a song queued; each tier costs double the one before',
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
    query: { songId: SONG },
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
  summary: 'Orders a song: it is queued once its payment is confirmed',
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
    body: { songId: SONG, tier: 1 },
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
  summary: 'What became of an own order',
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
          'epoch ms at which the song goes on air: expected while it waits in the queue, known once it is heard; else null',
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
