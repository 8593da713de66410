import type { DataStore, DonationRecord, LedgerRecord } from '../ports/data/data-store.ts'
import type { Payment, PaymentProviderId } from '../ports/payments.ts'
import { isClosed, recordClaimed, recordClosed, recordInLedger, recordUnmatched } from './ledger.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>
type PaidEvent = Extract<Payment, { kind: 'paid' }>
type FailedEvent = Extract<Payment, { kind: 'failed' }>

/** The fate of a confirmed payment. */
export type Claim =
  /** It pays for the order, whose track is due in the queue from now on. */
  | 'claimed'
  /** It has paid for the order before. */
  | 'known'
  /** It pays for nothing; the ledger has the reason. */
  | 'refused'

/**
 * Lets a confirmed payment claim its order: exactly once, however often it is delivered, by however many processes, and
 * whenever one of them crashes. A payment pays for one order only. Its own time counts, so it also pays for an order that
 * has expired or failed since. One write stores the payment and makes the track due.
 *
 * @param claim.onRefused called once with the reason when the payment does not pay for this order.
 */
export async function claimPayment(
  data: DonationData,
  claim: {
    donationId: string
    provider: PaymentProviderId
    payment: PaidEvent
    nowMs: number
    onRefused?: (why: string) => void
  },
): Promise<Claim> {
  const { donationId, provider, payment, nowMs, onRefused = () => {} } = claim
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
    if (await recordUnmatched(data, { provider, payment, why, atMs: nowMs })) onRefused('unknown_order')
    return 'refused'
  }
  const misfit = misfitOf(donation, provider, payment)
  if (misfit) return refuse(misfit)
  // An entry that is written once decides which order a payment belongs to, also when it names several.
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
  // In the order in which an unpaid order goes from one status to the next.
  for (const status of ['pending', 'expired', 'failed'] as const)
    isClaimed ||= (await data.donations.update({ id: donationId, status }, change)) > 0
  const now = await data.donations.get(donationId)
  if (now?.reference !== reference) return refuse('not_pending')
  await recordClaimed(data, now)
  return isClaimed ? 'claimed' : 'known'
}

/**
 * Fails a pending order whose service says that it will not be paid. Repeating it finishes what a crash left half done.
 *
 * @param failure.tell informs the donor; called before the failure is recorded.
 * @returns whether the order was pending until now.
 */
export async function failDonation(
  data: DonationData,
  failure: {
    provider: PaymentProviderId
    payment: FailedEvent
    nowMs: number
    tell?: (donation: Donation) => void
  },
): Promise<boolean> {
  const { provider, payment, nowMs, tell = () => {} } = failure
  const { donationId: id, reference } = payment
  await data.donations.update({ id, provider, status: 'pending' }, { status: 'failed', claimKey: id })
  const donation = await data.donations.get(id)
  if (donation?.provider !== provider || donation.status !== 'failed') return false
  if (await isClosed(data, id)) return false
  tell(donation)
  const note = `payment_failed: ${provider} ${reference}`
  return recordClosed(data, { donationId: id, note, atMs: nowMs })
}

/** The reason why a payment does not pay for an order; null when it does. */
function misfitOf(donation: Donation, provider: PaymentProviderId, payment: PaidEvent): string | null {
  if (donation.provider !== provider) return 'other_provider'
  if (payment.currency !== donation.currency) return 'other_currency'
  if (payment.amountMinor < donation.amountMinor) return 'too_little'
  return donation.expiresAt !== null && payment.paidAtMs > donation.expiresAt ? 'too_late' : null
}
