import type { DataStore, DonationRecord, Payment } from '@solstice/station'
import { NOON } from '../air/programme.ts'
import { songOf } from './on-air.ts'
import { pendingDonation } from './orders.ts'
import { CHECKOUT } from './station.ts'

export function ordered(id: string, facts: Partial<DonationRecord> = {}): DonationRecord {
  const song = { songId: songOf(id).id, songTitle: songOf(id).title, songArtist: 'Hilda' }
  return pendingDonation(id, {
    uid: `donor of ${id}`,
    ...song,
    provider: CHECKOUT,
    createdAt: NOON,
    ...facts,
  })
}

export const paid = (
  donationId: string,
  facts: { amountMinor?: number; reference?: string } = {},
): Payment => {
  const { amountMinor = 50_00, reference = `payment of ${donationId}` } = facts
  const money = { amountMinor, currency: 'UAH', paidAtMs: NOON }
  return { kind: 'paid', eventId: reference, reference, donationId, ...money }
}

export const failed = (donationId: string): Payment => {
  const reference = `failure of ${donationId}`
  return { kind: 'failed', eventId: reference, reference, donationId }
}

export async function placeOrder(data: DataStore, order: DonationRecord, hasSong = true): Promise<void> {
  await data.donations.insert(order)
  const { title, artist } = songOf(order.id)
  const about = { title, artist, album: '', year: null, duration: 180, mode: 'day' as const }
  const filename = `${title}.mp3`
  if (hasSong) await data.tracks.put({ id: order.songId, ...about, filename, storageKey: order.songId })
}
