import type { Announcer } from '../ports/announcer.ts'
import type { DataStore, InboxRecord, Spool } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { MatchingPayment, Payment, PaymentProviderId, Payments } from '../ports/payments.ts'
import { claimPayment, failDonation } from './claim.ts'
import { expireOrdersOf } from './expire.ts'
import { recordUnmatched } from './ledger.ts'
import { scheduleDonation } from './paid/queue.ts'

/** News of a payment from the service that took it. */
export interface PaymentNews {
  provider: PaymentProviderId
  payment: Payment
  nowMs: number
}

export interface PaymentDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'inbox'>
  jobs: Pick<JobQueue, 'add'>
  announcer: Pick<Announcer, 'tell'>
  log: Log
}

/**
 * Stores a delivery, in the database or else on this machine's disk, so that it may be acknowledged to the service.
 * Idempotent.
 *
 * @throws when it cannot be written anywhere: the service must not get an answer then, and delivers again.
 */
export async function storeDelivery(
  { data, spool }: { data: Pick<DataStore, 'inbox'>; spool: Spool<InboxRecord> },
  { provider, payment, nowMs }: PaymentNews,
): Promise<void> {
  const id = `${provider} ${payment.eventId}`
  const delivery: InboxRecord = { id, provider, payment, receivedAt: Math.floor(nowMs) }
  try {
    await data.inbox.insert(delivery)
  } catch {
    await spool.keep(delivery)
  }
}

/**
 * Moves deliveries from this machine's disk to the store.
 *
 * @returns the number of deliveries.
 * @throws the first error, after trying all.
 */
export async function drainDeliverySpool({
  data,
  spool,
}: {
  data: Pick<DataStore, 'inbox'>
  spool: Spool<InboxRecord>
}): Promise<number> {
  const kept = await spool.all()
  await eachTried(kept, async (delivery) => {
    await data.inbox.insert(delivery)
    await spool.remove(delivery.id)
  })
  return kept.length
}

/** Applies all stored deliveries, and removes each that was applied. @throws the first error, after trying all. */
export async function applyInbox(deps: PaymentDeps, nowMs: number): Promise<void> {
  await eachTried(await deps.data.inbox.find(), async ({ id, provider, payment }) => {
    await applyPayment(deps, { provider, payment, nowMs })
    await deps.data.inbox.delete({ id })
  })
}

/**
 * Applies news of a payment. Idempotent. A payment that pays for no order is logged with the reason, and entered in the
 * ledger: under the orders that it names, or as one of an unknown order.
 */
export async function applyPayment(
  deps: PaymentDeps,
  { provider, payment, nowMs }: PaymentNews,
): Promise<void> {
  const { data, jobs, announcer, log } = deps
  if (payment.kind === 'failed') {
    const { donationId } = payment
    const result = { donationId, accepted: false, reason: 'payment_failed' } as const
    const tell = ({ uid }: { uid: string }) => announcer.tell({ uid }, 'donation_result', result)
    await failDonation(data, { provider, payment, nowMs, tell })
    return
  }
  const ids = 'donationId' in payment ? [payment.donationId] : await namedOrders(data, provider, payment)
  const refusals: { donationId: string; reason: string }[] = []
  for (const donationId of ids) {
    const onRefused = (reason: string) => refusals.push({ donationId, reason })
    const claim = await claimPayment(data, { donationId, provider, payment, nowMs, onRefused })
    if (claim !== 'refused') return scheduleDonation({ data, jobs }, donationId)
  }
  for (const refusal of refusals)
    log.warn({ ...refusal, provider }, 'payment refused: it does not fit its order')
  if (ids.length > 0) return
  if (await recordUnmatched(data, { provider, payment, why: 'names_no_order', atMs: nowMs }))
    log.warn({ provider, reference: payment.reference }, 'payment refused: it names no order')
}

/**
 * Polls the services that do not post their payments and for which an order is pending. Orders whose time is over expire
 * once an answer came that would have named their payments.
 *
 * @throws the first error, after polling all services.
 */
export async function pollPayments(
  deps: PaymentDeps & { payments: Pick<Payments, 'configured'> },
  nowMs: number,
): Promise<void> {
  const pending = await deps.data.donations.find({ status: 'pending' })
  await eachTried([...deps.payments.configured.values()], async (provider) => {
    if (!('recentPayments' in provider)) return
    const orders = pending.filter((donation) => donation.provider === provider.id)
    if (orders.length === 0) return
    // An older payment than the oldest pending order belongs to a closed one, unless the wall clock is wrong.
    const sinceMs = orders.reduce((first, { createdAt }) => Math.min(first, createdAt), nowMs)
    const codes = new Set(orders.map(({ matchCode }) => matchCode))
    const namesOne = ({ comment }: MatchingPayment) => wordsOf(comment).some((word) => codes.has(word))
    const recent = await provider.recentPayments(nowMs)
    await eachTried(
      recent.filter((payment) => payment.paidAtMs >= sinceMs - CLOCK_SLACK_MS || namesOne(payment)),
      (payment) => applyPayment(deps, { provider: provider.id, payment, nowMs }),
    )
    const graceMs = POLLS_TO_WAIT * provider.pollIntervalMs
    await expireOrdersOf(deps.data, { providers: [provider.id], graceMs, nowMs })
  })
}

/** The clock of a service may differ a little from ours. */
const CLOCK_SLACK_MS = 60_000
const POLLS_TO_WAIT = 2
/** Each costs a look into the ledger, and nobody pays for more tracks with one donation. */
const MAX_NAMED_ORDERS = 5

/** Does `work` for each in turn. @throws the first error, after trying all. */
async function eachTried<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const one of all) await work(one).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** Orders whose codes are words of a comment, in any case: the pending ones first, in the order of the comment. */
async function namedOrders(
  data: Pick<DataStore, 'donations'>,
  provider: PaymentProviderId,
  { comment }: MatchingPayment,
): Promise<string[]> {
  const words = wordsOf(comment)
  const named = (await data.donations.find({ provider })).filter(
    ({ matchCode }) => matchCode !== null && words.includes(matchCode),
  )
  return named
    .toSorted(
      (a, b) => words.indexOf(a.matchCode!) - words.indexOf(b.matchCode!) || b.createdAt - a.createdAt,
    )
    .toSorted((a, b) => Number(b.status === 'pending') - Number(a.status === 'pending'))
    .slice(0, MAX_NAMED_ORDERS)
    .map(({ id }) => id)
}

/** The words of a comment in capitals, each once. */
function wordsOf(comment: string): string[] {
  return [...new Set(comment.toUpperCase().split(/[^\p{L}\p{N}]+/u))]
}
