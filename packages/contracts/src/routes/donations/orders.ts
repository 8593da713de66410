import { Type } from 'typebox'
import { DonationStatus } from '../../resources/donation.ts'
import { TrackId } from '../../resources/library/track.ts'
import { nullable, Offset } from '../../resources/schema.ts'
import { defineRoute, needs } from '../../route.ts'

const EpochMs = Type.Number({ description: 'epoch ms' })
const DonationParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 2000 }) })

const DonationEntry = Type.Object({
  id: Type.String(),
  uid: Type.String(),
  songId: TrackId,
  songTitle: Type.String(),
  songArtist: Type.String(),
  provider: Type.String(),
  currency: Type.String(),
  amount: Type.Number(),
  tier: nullable(Type.Integer({ description: 'null when tiers are off' })),
  status: DonationStatus,
  createdAt: EpochMs,
  paidAt: nullable(EpochMs),
  airedAt: nullable(EpochMs),
  refusedWhy: nullable(
    Type.String({ description: 'why the song of a `paid_unqueued` order has no place in the queue' }),
  ),
})

const ENTRY = {
  id: '3a1c9d5e-7a52-4f0b-9d0e-6b0f3c1d2e47',
  uid: '0f3a9c1d2e4b5a6978c0d1e2f3a4b5c6d7e8',
  songId: 'day/Morning Tide.mp3',
  songTitle: 'Morning Tide',
  songArtist: 'Hilda',
  provider: 'matching_provider_1',
  currency: 'UAH',
  amount: 50,
  tier: 1,
  status: 'paid',
  createdAt: 1_790_000_000_000,
  paidAt: 1_790_000_060_000,
  airedAt: null,
  refusedWhy: null,
}

export const getDonationHistory = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/history',
  summary: 'Returns the donations, newest first, and the sums that were paid',
  access: needs('donations_manage'),
  capability: 'donations',
  query: Type.Object({
    window: Type.Optional(Type.String({ description: '`24h`, `7d`, `30d` or `max` (default)' })),
    status: Type.Optional(DonationStatus),
    limit: Type.Integer({ minimum: 1, default: 30, description: 'at most 200' }),
    offset: Offset,
  }),
  reply: Type.Object({
    entries: Type.Array(DonationEntry),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
    totals: Type.Array(
      Type.Object({ currency: Type.String(), count: Type.Integer(), amount: Type.Number() }),
      { description: 'sums paid within the window and not paid back, by currency' },
    ),
    unqueued: Type.Integer({ description: 'number of `paid_unqueued` orders, whatever the window' }),
  }),
  failures: ['BAD_REQUEST', 'DONATIONS_HISTORY_FAILED'],
  example: {
    query: { window: '7d' },
    reply: {
      entries: [ENTRY],
      total: 1,
      offset: 0,
      limit: 30,
      totals: [{ currency: 'UAH', count: 1, amount: 50 }],
      unqueued: 0,
    },
  },
})

export const getDonationLedger = defineRoute({
  method: 'GET',
  path: '/api/admin/donations/:id/ledger',
  summary: 'Returns everything that happened to a donation, oldest first',
  access: needs('donations_manage'),
  capability: 'donations',
  params: DonationParams,
  reply: Type.Object({
    entries: Type.Array(
      Type.Object({
        event: Type.String({
          description:
            '`created`, `delivered`, `claimed`, `queued`, `on-air`, `finished`, `refused`, `requeued` or `paid-back`',
        }),
        at: EpochMs,
        note: Type.String({
          description: 'the reason, the payment, the admin, or the frame of the broadcast',
        }),
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

export const requeueDonation = defineRoute({
  method: 'POST',
  path: '/api/admin/donations/:id/requeue',
  summary: 'Queues the song of a `paid_unqueued` order after all; idempotent',
  access: needs('donations_manage'),
  capability: 'donations',
  params: DonationParams,
  reply: Type.Object({ ok: Type.Literal(true), entry: DonationEntry }),
  failures: [
    'NOT_FOUND',
    'SONG_NOT_FOUND',
    'DONATION_NOT_UNQUEUED',
    'SONG_NOT_ORDERABLE',
    'DONATIONS_CHANGE_FAILED',
  ],
  example: { reply: { ok: true, entry: ENTRY } },
})

export const payBackDonation = defineRoute({
  method: 'POST',
  path: '/api/admin/donations/:id/paid-back',
  summary: 'Closes a `paid_unqueued` order after a refund at the payment service; idempotent',
  access: needs('donations_manage'),
  capability: 'donations',
  params: DonationParams,
  reply: Type.Object({ ok: Type.Literal(true), entry: DonationEntry }),
  failures: ['NOT_FOUND', 'DONATION_NOT_UNQUEUED', 'DONATIONS_CHANGE_FAILED'],
  example: { reply: { ok: true, entry: { ...ENTRY, status: 'paid_back', refusedWhy: 'removed' } } },
})
