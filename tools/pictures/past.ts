import type { DonationRecord } from '@solstice/station'
import { pendingDonation } from '../../tests/harness/donations/orders.ts'
import type { Station } from '../../tests/harness/stations/station.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PLAYS = 480
const idOf = (n: number) => `5d3c0a7e-1f64-4c1e-9a52-7b0e4d1c9${String(n).padStart(3, '0')}`
/** The order whose drawer is opened. */
export const ORDER = idOf(1)

/** The past of the station in the pictures: plays of two days, paid songs of four, who added which song when. */
export async function addPast(station: Station): Promise<void> {
  const data = await station.openData()
  const nowMs = Date.now()
  const tracks = await data.tracks.find()
  for (const [i, { id }] of tracks.entries())
    await data.tracks.update({ id }, { addedAt: nowMs - (1 + ((i * 37) % 200)) * 9 * HOUR })
  const day = tracks.filter(({ mode }) => mode === 'day')
  const night = tracks.filter(({ mode }) => mode === 'night')
  let atMs = nowMs - 4 * MINUTE
  for (let i = 0; i < PLAYS; i++) {
    const hour = new Date(atMs).getUTCHours()
    const list = hour >= 20 || hour < 4 ? night : day
    // A step without a common factor visits all songs, never the same twice in a row.
    const {
      id: trackId,
      mode,
      title,
      artist,
      album,
      year,
      duration,
    } = list[(i * 7 + (i % 13 === 0 ? 0 : i % 5)) % list.length]!
    const paid = i % 17 === 6 ? { orderType: 'donated' as const, tier: 1 + (i % 3) } : null
    const asked = i % 11 === 4 ? { orderType: 'lastinline' as const, tier: null } : null
    const order = paid ?? asked ?? { orderType: null, tier: null }
    await data.history.insert({
      trackId,
      mode,
      title,
      artist,
      album,
      year,
      ...order,
      playedAt: Math.round(atMs),
    } as never)
    atMs -= (duration ?? 180) * 1000
  }
  for (const [i, nickname] of ['Гість із кухні', 'loud_larry'].entries()) {
    const network = `203.0.113.${40 + i}`
    const bannedAt = nowMs - (3 + 40 * i) * HOUR
    await data.bans.put({ network, ip: network, nickname, bannedAt, bannedBy: 'ihor' })
  }
  const orders = donations(nowMs).map((order, i) => {
    const { id: songId, title: songTitle, artist: songArtist } = day[(i * 5 + 3) % day.length]!
    return { ...order, songId, songTitle, songArtist }
  })
  for (const order of orders) await data.donations.put(order)
  for (const order of orders) {
    const steps = [
      ['created', 0, ''],
      ...(order.paidAt
        ? [
            ['delivered', 52, `${order.provider} 2f6c`],
            ['claimed', 53, `${order.provider} 2f6c`],
          ]
        : []),
      ...(order.queue === 'refused' ? [['refused', 54, order.refusedWhy ?? 'no_time']] : []),
      ...(order.queue === 'aired'
        ? [
            ['queued', 54, ''],
            ['on-air', 700, 'frame 1620480'],
            ['finished', 900, 'frame 1628140'],
          ]
        : []),
    ] as [string, number, string][]
    for (const [event, second, note] of steps)
      await data.ledger.insert({
        donationId: order.id,
        onceKey: `${event} ${order.id}`,
        atMs: order.createdAt + second * 1000,
        ...{ event, note },
      } as never)
  }
  await data.close()
}

function donations(nowMs: number): DonationRecord[] {
  const order = (n: number, hoursAgo: number, facts: Partial<DonationRecord>) => {
    const createdAt = nowMs - hoursAgo * HOUR
    const id = idOf(n)
    const paidAt = createdAt + 52_000
    return pendingDonation(id, {
      createdAt,
      paidAt,
      reference: id,
      provider: 'checkout_provider_1',
      ...facts,
    })
  }
  const aired = (hoursAgo: number) =>
    ({ status: 'paid', queue: 'aired', airedAt: nowMs - (hoursAgo - 0.2) * HOUR }) as const
  const refused = { status: 'paid_unqueued', queue: 'refused' } as const
  return [
    order(1, 20, { ...refused, refusedWhy: 'no_time', tier: 2, amountMinor: 100_00 }),
    order(2, 6, { ...refused, refusedWhy: 'not_found', tier: 1 }),
    order(3, 3, { ...aired(3), tier: 1 }),
    order(4, 9, { ...aired(9), tier: 3, amountMinor: 200_00 }),
    order(5, 11, { status: 'expired', paidAt: null, reference: null, tier: 1 }),
    order(6, 27, { ...aired(27), tier: 2, amountMinor: 100_00 }),
    order(7, 30, { ...aired(30), currency: 'EUR', amountMinor: 7_50, provider: 'checkout_provider_2' }),
    order(8, 33, { status: 'paid_back', queue: 'refused', tier: 1 }),
    order(9, 44, { ...aired(44), tier: 3, amountMinor: 200_00 }),
    order(10, 52, { status: 'failed', paidAt: null, reference: null, tier: 2 }),
    order(11, 70, { ...aired(70), tier: 1 }),
    order(12, 91, { ...aired(91), tier: 1 }),
  ]
}
