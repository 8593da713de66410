import type { DataStore, DonationRecord } from '@solstice/station'

export const MATCHING = 'matching_provider_1' as const

export const ledgerOf = (data: DataStore, donationId: string) => data.ledger.find({ donationId })

export function pendingDonation(id: string, facts: Partial<DonationRecord> = {}): DonationRecord {
  return {
    id,
    uid: 'somebody',
    songId: 'day/song.mp3',
    songTitle: 'Song',
    songArtist: 'Artist',
    provider: MATCHING,
    amountMinor: 50_00,
    currency: 'UAH',
    tier: null,
    status: 'pending',
    queue: null,
    refusedWhy: null,
    airedAt: null,
    matchCode: null,
    claimKey: id,
    expiresAt: null,
    createdAt: 0,
    paidAt: null,
    reference: null,
    ...facts,
  }
}

/** A confirmed payment for the price of `pendingDonation`. */
export const payment = (
  reference: string,
  facts: { amountMinor?: number; currency?: string; paidAtMs?: number; comment?: string } = {},
) => {
  const paid = { amountMinor: 50_00, currency: 'UAH', paidAtMs: 1000, comment: '', ...facts }
  return { kind: 'paid', eventId: `event of ${reference}`, reference, ...paid } as const
}
