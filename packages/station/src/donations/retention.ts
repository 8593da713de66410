import { Failure } from '../core/failure.ts'
import type { DataStore, DonationRecord } from '../ports/data-store.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>

/** Beyond this number the oldest orders that nobody paid for go before their time. */
const MAX_UNPAID = 20_000
/** Orders that strangers may add before room is made for more. */
const UNPAID_HEADROOM = 1_000
/** For a day a payment may be on its way to us, whatever became of its order meanwhile. */
const KEPT_AT_LEAST_MS = 24 * 3_600_000

/**
 * Forgets donations from before a moment (epoch ms), and beyond 20 000 unpaid ones the oldest of those, with all that the
 * ledger says of them; how many donations that were.
 */
export async function purgeDonations(data: DonationData, beforeMs: number, nowMs: number): Promise<number> {
  const old = await data.donations.delete(({ createdAt }) => createdAt < beforeMs)
  const surplus = await dropUnpaid(data, nowMs)
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  await data.ledger.delete(({ donationId, atMs }) => !kept.has(donationId) && atMs < beforeMs)
  return old + surplus
}

/**
 * Sees to it that there is room for one more order.
 *
 * @throws Failure DONATIONS_FULL when all that could be dropped for it may still be paid
 */
export async function makeRoomForOrder(data: DonationData, nowMs: number): Promise<void> {
  if ((await countUnpaid(data)) < MAX_UNPAID + UNPAID_HEADROOM) return
  await dropUnpaid(data, nowMs)
  if ((await countUnpaid(data)) >= MAX_UNPAID + UNPAID_HEADROOM) throw new Failure('DONATIONS_FULL')
}

async function countUnpaid(data: DonationData): Promise<number> {
  return (await data.donations.find()).filter(isUnpaid).length
}

/** The oldest unpaid orders beyond the number go, except those that may still be paid; how many went. */
async function dropUnpaid(data: DonationData, nowMs: number): Promise<number> {
  const unpaid = (await data.donations.find()).filter(isUnpaid)
  const surplus = unpaid
    .filter((donation) => !mayStillBePaid(donation, nowMs))
    .sort((a, b) => a.createdAt - b.createdAt)
    .slice(0, Math.max(0, unpaid.length - MAX_UNPAID))
  if (surplus.length === 0) return 0
  const ids = new Set(surplus.map(({ id }) => id))
  // What was paid meanwhile stays.
  const count = await data.donations.delete((donation) => ids.has(donation.id) && isUnpaid(donation))
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  // A payment that named such an order without paying for it is money that came: its trace is kept for its time.
  await data.ledger.delete(
    ({ donationId, event, onceKey }) =>
      ids.has(donationId) &&
      !kept.has(donationId) &&
      (event === 'created' || onceKey === `refused ${donationId}`),
  )
  return count
}

function isUnpaid({ status }: Donation): boolean {
  return status === 'pending' || status === 'failed' || status === 'expired'
}

function mayStillBePaid({ createdAt, expiresAt }: Donation, nowMs: number): boolean {
  return nowMs - Math.max(createdAt, expiresAt ?? 0) < KEPT_AT_LEAST_MS
}
