import type { DataStore, DonationRecord, LedgerRecord } from '../ports/data-store.ts'
import type { Payment, PaymentProviderId } from '../ports/payments.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>
type PaidEvent = Extract<Payment, { kind: 'paid' }>
type FailedEvent = Extract<Payment, { kind: 'failed' }>

/** The ledger of payments that pay for no order: it goes by this name instead of the id of an order. */
export const UNKNOWN_ORDER = 'unknown'

/** What became of a payment that a service confirmed. */
export type Claim =
  /** It pays for the order, which is to be queued from now on. */
  | 'claimed'
  /** It has done so before. */
  | 'known'
  /** It pays for nothing: the ledger says why. */
  | 'refused'

/**
 * A confirmed payment claims its order: once, however often and by how many it is told of, and at every moment of a crash.
 * A payment pays for one order only. It counts by when it was made, so it also pays for an order that has expired or was said
 * to have failed meanwhile. Payment and the order to queue the song are one write.
 *
 * @param onRefused is told once why the payment does not pay for this order.
 */
export async function claimPayment(
  data: DonationData,
  donationId: string,
  provider: PaymentProviderId,
  payment: PaidEvent,
  nowMs: number,
  onRefused: (why: string) => void = () => {},
): Promise<Claim> {
  const donation = await data.donations.get(donationId)
  const { reference } = payment
  const paymentKey = `${provider} ${reference}`
  const write = (event: LedgerRecord['event'], onceKey: string, note: string) =>
    recordInLedger(data, { donationId, event, onceKey, atMs: nowMs, note })
  const refuse = async (why: string): Promise<Claim> => {
    const isNew = await write('refused', `refused ${paymentKey} ${donationId}`, `${why}: ${paymentKey}`)
    if (isNew) onRefused(why)
    return 'refused'
  }

  if (!donation) {
    const why = `unknown_order ${donationId}`
    if (await recordUnmatched(data, provider, payment, why, nowMs)) onRefused('unknown_order')
    return 'refused'
  }
  const misfit = misfitOf(donation, provider, payment)
  if (misfit) return refuse(misfit)
  // What is written once decides which order a payment belongs to, also when it names several.
  const deliveredKey = `delivered ${paymentKey}`
  if (!(await write('delivered', deliveredKey, paymentKey))) {
    const [delivered] = await data.ledger.find({ onceKey: deliveredKey })
    if (delivered && delivered.donationId !== donationId) return 'refused'
  }
  const change = {
    status: 'paid',
    queue: 'due',
    paidAt: Math.floor(nowMs),
    reference,
    claimKey: donationId,
  } as const
  let isClaimed = false
  // In the order in which an unpaid order goes from one to the next.
  for (const status of ['pending', 'expired', 'failed'] as const)
    isClaimed ||= (await data.donations.update({ id: donationId, status }, change)) > 0
  const now = await data.donations.get(donationId)
  if (now?.reference !== reference) return refuse('not_pending')
  await recordClaimed(data, now)
  return isClaimed ? 'claimed' : 'known'
}

/** Keeps a confirmed payment that pays for no order where an operator finds it; whether it was not there before. */
export function recordUnmatched(
  data: Pick<DataStore, 'ledger'>,
  provider: PaymentProviderId,
  { reference, amountMinor, currency }: PaidEvent,
  why: string,
  atMs: number,
): Promise<boolean> {
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

/** That an order was paid, if the ledger does not have it yet. */
export async function recordClaimed(data: Pick<DataStore, 'ledger'>, donation: Donation): Promise<void> {
  const { id: donationId, provider, reference, paidAt } = donation
  const entry = { donationId, event: 'claimed', atMs: paidAt ?? 0, note: `${provider} ${reference}` } as const
  await recordInLedger(data, { ...entry, onceKey: `claimed ${donationId}` })
}

/**
 * The service says that an order will not be paid. Whether it was pending, and is failed now. Saying it again goes on where
 * that broke off.
 *
 * @param tell its donor, before that is settled.
 */
export async function failDonation(
  data: DonationData,
  provider: PaymentProviderId,
  { donationId: id, reference }: FailedEvent,
  nowMs: number,
  tell: (donation: Donation) => void = () => {},
): Promise<boolean> {
  await data.donations.update({ id, provider, status: 'pending' }, { status: 'failed', claimKey: id })
  const donation = await data.donations.get(id)
  if (donation?.provider !== provider || donation.status !== 'failed') return false
  const [settled] = await data.ledger.find({ onceKey: closedKey(id) })
  if (settled) return false
  tell(donation)
  return noteClosed(data, id, `payment_failed: ${provider} ${reference}`, nowMs)
}

/**
 * Pending orders of some services expire when their time is over; how many.
 *
 * @param graceMs for how long a payment that was made in time may still be on its way to us.
 */
export async function expireDonations(
  data: DonationData,
  nowMs: number,
  providers: readonly PaymentProviderId[],
  graceMs: number,
): Promise<number> {
  const isOver = ({ provider, expiresAt }: Donation) =>
    expiresAt !== null && expiresAt + graceMs <= nowMs && providers.includes(provider)
  const over = (await data.donations.find({ status: 'pending' })).filter(isOver)
  await Promise.all(
    over.map(({ id }) => data.donations.update({ id, status: 'pending' }, { status: 'expired' })),
  )
  // Its code is free when the ledger has it: an order that still holds one was left half done.
  const unsettled = (await data.donations.find({ status: 'expired' })).filter(
    ({ id, claimKey }) => claimKey !== id,
  )
  const expired = await Promise.all(
    unsettled.map(async ({ id }) => {
      const isNew = await noteClosed(data, id, 'expired', nowMs)
      await data.donations.update({ id, status: 'expired' }, { claimKey: id })
      return isNew
    }),
  )
  return expired.filter(Boolean).length
}

/** Adds to the ledger what it does not have yet; whether it had not. */
export async function recordInLedger(
  data: Pick<DataStore, 'ledger'>,
  entry: Omit<LedgerRecord, 'id'>,
): Promise<boolean> {
  return (await data.ledger.insert({ ...entry, atMs: Math.floor(entry.atMs) })) !== null
}

/** Why a payment does not pay for an order; null = it does. */
function misfitOf(donation: Donation, provider: PaymentProviderId, payment: PaidEvent): string | null {
  if (donation.provider !== provider) return 'other_provider'
  if (payment.currency !== donation.currency) return 'other_currency'
  if (payment.amountMinor < donation.amountMinor) return 'too_little'
  return donation.expiresAt !== null && payment.paidAtMs > donation.expiresAt ? 'too_late' : null
}

/** An order is closed unpaid once, whatever the reason. */
const closedKey = (donationId: string) => `refused ${donationId}`

function noteClosed(data: DonationData, donationId: string, note: string, atMs: number): Promise<boolean> {
  return recordInLedger(data, { donationId, event: 'refused', onceKey: closedKey(donationId), atMs, note })
}
