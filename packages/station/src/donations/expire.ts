import { Failure } from '../core/failure.ts'
import type { DataStore, DonationRecord } from '../ports/data/data-store.ts'
import { type PaymentProviderId, type Payments, paymentProviderIds } from '../ports/payments.ts'
import { recordClosed } from './ledger.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>

const DAY_MS = 24 * 3_600_000
/** A payment that was made in time may still be on its way to us. */
const POSTED_GRACE_MS = 60_000
/**
 * A polled service that has not answered for a day after the end of an order counts as gone. No sooner: this station may
 * have been away, and its payments are known only once the service was polled.
 */
const UNANSWERED_GRACE_MS = DAY_MS

/** Beyond this number the oldest unpaid orders are dropped early. */
const MAX_UNPAID = 20_000
/** Orders that strangers may add before room is made for more. */
const UNPAID_HEADROOM = 1_000
/** A payment may be on its way to us for a day, whatever became of its order meanwhile. */
const MIN_RETENTION_MS = DAY_MS

/**
 * Expires pending orders whose time is over; those of a polled service wait for its answer, but not for ever.
 *
 * @returns the number of orders.
 */
export async function expireOrders(
  { data, payments }: { data: DonationData; payments: Pick<Payments, 'configured'> },
  nowMs: number,
): Promise<number> {
  const isPolled = (id: PaymentProviderId) => payments.configured.get(id)?.readDelivery === undefined
  const polled = [...payments.configured.keys()].filter(isPolled)
  const others = paymentProviderIds.filter((id) => !polled.includes(id))
  return (
    (await expireOrdersOf(data, { providers: others, graceMs: POSTED_GRACE_MS, nowMs })) +
    (await expireOrdersOf(data, { providers: polled, graceMs: UNANSWERED_GRACE_MS, nowMs }))
  )
}

/**
 * Expires pending orders of some services.
 *
 * @param run.graceMs how long a payment that was made in time may still be on its way to us.
 * @returns the number of orders.
 */
export async function expireOrdersOf(
  data: DonationData,
  run: { providers: readonly PaymentProviderId[]; graceMs: number; nowMs: number },
): Promise<number> {
  const { providers, graceMs, nowMs } = run
  const isOver = ({ provider, expiresAt }: Donation) =>
    expiresAt !== null && expiresAt + graceMs <= nowMs && providers.includes(provider)
  const over = (await data.donations.find({ status: 'pending' })).filter(isOver)
  await Promise.all(
    over.map(({ id }) => data.donations.update({ id, status: 'pending' }, { status: 'expired' })),
  )
  // A code is free once the ledger has the end of its order: an order that still holds one was left half done.
  const unsettled = (await data.donations.find({ status: 'expired' })).filter(
    ({ id, claimKey }) => claimKey !== id,
  )
  const expired = await Promise.all(
    unsettled.map(async ({ id }) => {
      const isNew = await recordClosed(data, { donationId: id, note: 'expired', atMs: nowMs })
      await data.donations.update({ id, status: 'expired' }, { claimKey: id })
      return isNew
    }),
  )
  return expired.filter(Boolean).length
}

/**
 * Removes donations from before `beforeMs` (epoch ms), and the oldest unpaid ones beyond 20 000, with their ledger entries.
 *
 * @returns the number of donations.
 */
export async function purgeDonations(data: DonationData, beforeMs: number, nowMs: number): Promise<number> {
  const old = await data.donations.delete(({ createdAt }) => createdAt < beforeMs)
  const surplus = await dropUnpaid(data, nowMs)
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  await data.ledger.delete(({ donationId, atMs }) => !kept.has(donationId) && atMs < beforeMs)
  return old + surplus
}

/** Makes room for one more order. @throws Failure DONATIONS_FULL when every order that could go may still be paid. */
export async function makeRoomForOrder(data: DonationData, nowMs: number): Promise<void> {
  if ((await countUnpaid(data)) < MAX_UNPAID + UNPAID_HEADROOM) return
  await dropUnpaid(data, nowMs)
  if ((await countUnpaid(data)) >= MAX_UNPAID + UNPAID_HEADROOM) throw new Failure('DONATIONS_FULL')
}

async function countUnpaid(data: DonationData): Promise<number> {
  return (await data.donations.find()).filter(isUnpaid).length
}

/** Drops the oldest unpaid orders beyond the limit, except those that may still be paid. @returns how many. */
async function dropUnpaid(data: DonationData, nowMs: number): Promise<number> {
  const unpaid = (await data.donations.find()).filter(isUnpaid)
  const surplus = unpaid
    .filter((donation) => !mayStillBePaid(donation, nowMs))
    .sort((a, b) => a.createdAt - b.createdAt)
    .slice(0, Math.max(0, unpaid.length - MAX_UNPAID))
  if (surplus.length === 0) return 0
  const ids = new Set(surplus.map(({ id }) => id))
  // Orders that were paid meanwhile stay.
  const count = await data.donations.delete((donation) => ids.has(donation.id) && isUnpaid(donation))
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  // A payment that named such an order without paying for it is money received: its trace is kept for its full time.
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
  return nowMs - Math.max(createdAt, expiresAt ?? 0) < MIN_RETENTION_MS
}
