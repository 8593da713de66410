import type { Announcer } from '../ports/announcer.ts'
import type { DataStore, InboxRecord, Spool } from '../ports/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import {
  type MatchingPayment,
  type Payment,
  type PaymentProviderId,
  type Payments,
  paymentProviderIds,
} from '../ports/payments.ts'
import { claimPayment, expireDonations, failDonation, recordUnmatched } from './claim.ts'
import { scheduleDonation } from './queue.ts'

export interface PaymentDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'inbox'>
  jobs: Pick<JobQueue, 'add'>
  announcer: Pick<Announcer, 'tell'>
  log: Log
}

/**
 * Keeps what a service delivered, in the store or else on this machine's disk, so that the service may be told that it was
 * received. A delivery that is kept already is kept once.
 *
 * @throws when it cannot be written anywhere: then the service must not get an answer, and delivers again.
 */
export async function storeDelivery(
  { data, spool }: { data: Pick<DataStore, 'inbox'>; spool: Spool<InboxRecord> },
  provider: PaymentProviderId,
  payment: Payment,
  nowMs: number,
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
 * What was kept on this machine's disk goes to the store; how many deliveries.
 *
 * @throws the first error, when all others were tried.
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

/**
 * Applies all deliveries that were kept; each is forgotten when it has had its effect, and has it once however often it is
 * applied.
 *
 * @throws the first error, when all others were tried.
 */
export async function applyInbox(deps: PaymentDeps, nowMs: number): Promise<void> {
  await eachTried(await deps.data.inbox.find(), async ({ id, provider, payment }) => {
    await applyPayment(deps, provider, payment, nowMs)
    await deps.data.inbox.delete({ id })
  })
}

/**
 * What a service says of a payment takes effect, once however often it is said. Of one that pays for no order the log says why,
 * and the ledger keeps it: under the orders that it names, or as that of an unknown one.
 */
export async function applyPayment(
  deps: PaymentDeps,
  provider: PaymentProviderId,
  payment: Payment,
  nowMs: number,
): Promise<void> {
  const { data, jobs, announcer, log } = deps
  if (payment.kind === 'failed') {
    const { donationId } = payment
    const result = { donationId, accepted: false, reason: 'payment_failed' } as const
    await failDonation(data, provider, payment, nowMs, ({ uid }) =>
      announcer.tell({ uid }, 'donation_result', result),
    )
    return
  }
  const ids = 'donationId' in payment ? [payment.donationId] : await namedOrders(data, provider, payment)
  const refusals: { donationId: string; reason: string }[] = []
  for (const donationId of ids) {
    const claim = await claimPayment(data, donationId, provider, payment, nowMs, (reason) =>
      refusals.push({ donationId, reason }),
    )
    if (claim !== 'refused') return scheduleDonation({ data, jobs }, donationId)
  }
  for (const refusal of refusals) log.warn({ ...refusal, provider }, 'a payment does not pay for its order')
  if (ids.length === 0 && (await recordUnmatched(data, provider, payment, 'names_no_order', nowMs)))
    log.warn({ provider, reference: payment.reference }, 'a payment names no order')
}

/**
 * Asks the services that do not post their payments, as far as an order waits for one. Orders whose time is over expire when
 * an answer came that would have named their payments.
 *
 * @throws the first error, when all services were asked.
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
    // A payment from before the oldest order is of an order that is closed, unless the wall clock is wrong.
    const sinceMs = orders.reduce((first, { createdAt }) => Math.min(first, createdAt), nowMs)
    const codes = new Set(orders.map(({ matchCode }) => matchCode))
    const namesOne = ({ comment }: MatchingPayment) => wordsOf(comment).some((word) => codes.has(word))
    const recent = await provider.recentPayments(nowMs)
    await eachTried(
      recent.filter((payment) => payment.paidAtMs >= sinceMs - CLOCK_SLACK_MS || namesOne(payment)),
      (payment) => applyPayment(deps, provider.id, payment, nowMs),
    )
    await expireDonations(deps.data, nowMs, [provider.id], POLLS_TO_WAIT * provider.pollIntervalMs)
  })
}

/**
 * Pending orders whose time is over expire; how many. Those of a service that is asked wait for its answer, but not for ever.
 */
export async function expireOrders(
  { data, payments }: { data: PaymentDeps['data']; payments: Pick<Payments, 'configured'> },
  nowMs: number,
): Promise<number> {
  const isAsked = (id: PaymentProviderId) => payments.configured.get(id)?.readDelivery === undefined
  const asked = [...payments.configured.keys()].filter(isAsked)
  const others = paymentProviderIds.filter((id) => !asked.includes(id))
  return (
    (await expireDonations(data, nowMs, others, POSTED_GRACE_MS)) +
    (await expireDonations(data, nowMs, asked, UNANSWERED_GRACE_MS))
  )
}

/** An order may be a little older than its service says. */
const CLOCK_SLACK_MS = 60_000
const POLLS_TO_WAIT = 2
/** For so long a payment that was made in time may be on its way to us. */
const POSTED_GRACE_MS = 60_000
/**
 * A service that has not answered for a day after the end of an order counts as gone. No sooner: it may be this station that
 * was away, and its payments are known only once it was asked.
 */
const UNANSWERED_GRACE_MS = 24 * 3_600_000

/** Nobody pays for more songs with one donation. */
const MAX_NAMED_ORDERS = 5

/** Does something with each, one after the other. @throws the first error, when all others were tried. */
async function eachTried<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const one of all) await work(one).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/**
 * The orders whose codes are words of a comment, in whatever case; first those that wait for a payment, in the order of the
 * comment. Of more than a few the rest is left out: each costs a look into the ledger.
 */
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
