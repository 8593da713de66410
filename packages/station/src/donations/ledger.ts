import type { DataStore, DonationRecord, LedgerRecord } from '../ports/data/data-store.ts'
import type { Payment, PaymentProviderId } from '../ports/payments.ts'

type LedgerData = Pick<DataStore, 'ledger'>
type PaidEvent = Extract<Payment, { kind: 'paid' }>

/** Stands for the id of an order in entries about payments that match none. */
export const UNKNOWN_ORDER = 'unknown'

/** The history of a donation, in order. */
export async function readLedger(
  data: LedgerData,
  donationId: string,
): Promise<readonly Readonly<LedgerRecord>[]> {
  return data.ledger.find({ donationId })
}

/** Adds an entry. @returns false when an entry with its `onceKey` exists already. */
export async function recordInLedger(data: LedgerData, entry: Omit<LedgerRecord, 'id'>): Promise<boolean> {
  return (await data.ledger.insert({ ...entry, atMs: Math.floor(entry.atMs) })) !== null
}

/** Records a confirmed payment that matches no order, for the operator to find. @returns as `recordInLedger`. */
export function recordUnmatched(
  data: LedgerData,
  unmatched: { provider: PaymentProviderId; payment: PaidEvent; why: string; atMs: number },
): Promise<boolean> {
  const { provider, payment, why, atMs } = unmatched
  const { reference, amountMinor, currency } = payment
  const paymentKey = `${provider} ${reference}`
  const amount = `${(amountMinor / 100).toFixed(2)} ${currency}`
  return recordInLedger(data, {
    donationId: UNKNOWN_ORDER,
    event: 'refused',
    onceKey: `refused ${paymentKey} ${UNKNOWN_ORDER}`,
    atMs,
    note: `${why}: ${paymentKey}, ${amount}`,
  })
}

/** Records that an order was paid. Idempotent. */
export async function recordClaimed(data: LedgerData, donation: Readonly<DonationRecord>): Promise<void> {
  const { id: donationId, provider, reference, paidAt } = donation
  const entry = { donationId, event: 'claimed', atMs: paidAt ?? 0, note: `${provider} ${reference}` } as const
  await recordInLedger(data, { ...entry, onceKey: `claimed ${donationId}` })
}

/** Records that an admin had the track of a paid order queued again. @returns as `recordInLedger`. */
export function recordRequeued(
  data: LedgerData,
  donation: Readonly<DonationRecord>,
  note: string,
): Promise<boolean> {
  const { id: donationId, requeues = 0, requeuedAt = 0 } = donation
  const onceKey = `requeued ${donationId} ${requeues}`
  return recordInLedger(data, { donationId, event: 'requeued', onceKey, atMs: requeuedAt, note })
}

/** Records that the money of an order was paid back: once. @returns as `recordInLedger`. */
export function recordPaidBack(
  data: LedgerData,
  paidBack: { donationId: string; note: string; atMs: number },
): Promise<boolean> {
  return recordInLedger(data, {
    ...paidBack,
    event: 'paid-back',
    onceKey: `paid-back ${paidBack.donationId}`,
  })
}

/** Records that an order was closed unpaid: once, whatever the reason. @returns as `recordInLedger`. */
export function recordClosed(
  data: LedgerData,
  closed: { donationId: string; note: string; atMs: number },
): Promise<boolean> {
  return recordInLedger(data, { ...closed, event: 'refused', onceKey: closedKey(closed.donationId) })
}

/** True when an order was closed unpaid. */
export async function isClosed(data: LedgerData, donationId: string): Promise<boolean> {
  return (await data.ledger.find({ onceKey: closedKey(donationId) })).length > 0
}

const closedKey = (donationId: string) => `refused ${donationId}`
