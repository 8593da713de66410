import { handOver } from './donation-queue.ts'
import { claimPaid, expireDonations, failDonation } from './donations.ts'
import type { Announcer } from './ports/announcer.ts'
import type { DataStore, InboxRecord } from './ports/data-store.ts'
import type { JobQueue } from './ports/job-queue.ts'
import type {
  DeliverySpool,
  MatchingPayment,
  Payment,
  PaymentProviderId,
  Payments,
} from './ports/payments.ts'

export interface PaymentDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'inbox'>
  jobs: Pick<JobQueue, 'add'>
  announcer: Pick<Announcer, 'tell'>
}

/**
 * Keeps what a service delivered, in the store or else on this machine's disk, so that the service may be told that it was
 * received. A delivery that is kept already is kept once.
 *
 * @throws when it cannot be written anywhere: then the service must not get an answer, and delivers again.
 */
export async function keepDelivery(
  { data, spool }: { data: Pick<DataStore, 'inbox'>; spool: DeliverySpool },
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

/** What was kept on this machine's disk goes to the store. @throws when the store does not take it. */
export async function emptySpool({
  data,
  spool,
}: {
  data: Pick<DataStore, 'inbox'>
  spool: DeliverySpool
}): Promise<void> {
  for (const delivery of await spool.all()) {
    await data.inbox.insert(delivery)
    await spool.remove(delivery.id)
  }
}

/**
 * Applies all deliveries that were kept; each is forgotten when it has had its effect, and has it once however often it is
 * applied.
 *
 * @throws the first error, when all others were tried.
 */
export async function applyInbox(deps: PaymentDeps, nowMs: number): Promise<void> {
  const errors: unknown[] = []
  for (const { id, provider, payment } of await deps.data.inbox.find()) {
    try {
      await applyPayment(deps, provider, payment, nowMs)
      await deps.data.inbox.delete({ id })
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** What a service says of a payment takes effect, once however often it is said. */
export async function applyPayment(
  deps: PaymentDeps,
  provider: PaymentProviderId,
  payment: Payment,
  nowMs: number,
): Promise<void> {
  const { data, jobs, announcer } = deps
  if (payment.kind === 'failed') {
    const { donationId } = payment
    const isFailed = await failDonation(data, provider, payment, nowMs)
    const donation = isFailed && (await data.donations.get(donationId))
    if (!donation) return
    const result = { donationId, accepted: false, reason: 'payment_failed' } as const
    return announcer.tell({ uid: donation.uid }, 'donation_result', result)
  }
  const ids = 'donationId' in payment ? [payment.donationId] : await namedOrders(data, provider, payment)
  for (const donationId of ids) {
    const claim = await claimPaid(data, donationId, provider, payment, nowMs)
    if (claim !== 'refused') return handOver({ data, jobs }, donationId)
  }
}

/**
 * Asks the services that do not post their payments, as far as an order waits for one.
 *
 * @throws the first error, when all services were asked.
 */
export async function pollPayments(
  deps: PaymentDeps & { payments: Pick<Payments, 'configured'> },
  nowMs: number,
): Promise<void> {
  const pending = await deps.data.donations.find({ status: 'pending' })
  const errors: unknown[] = []
  for (const provider of deps.payments.configured.values()) {
    if (!('recentPayments' in provider)) continue
    const orders = pending.filter((donation) => donation.provider === provider.id)
    if (orders.length === 0) continue
    // A payment from before the oldest order is of an order that is closed.
    const sinceMs = Math.min(...orders.map(({ createdAt }) => createdAt))
    try {
      const recent = await provider.recentPayments(nowMs)
      for (const payment of recent.filter(({ paidAtMs }) => paidAtMs >= sinceMs - CLOCK_SLACK_MS))
        await applyPayment(deps, provider.id, payment, nowMs)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** Pending orders whose time is over expire, when the last poll could have seen their payments; how many. */
export function expireOrders(
  { data, payments }: { data: PaymentDeps['data']; payments: Pick<Payments, 'configured'> },
  nowMs: number,
): Promise<number> {
  const periods = [...payments.configured.values()].map((provider) =>
    'pollIntervalMs' in provider ? provider.pollIntervalMs : 0,
  )
  return expireDonations(data, nowMs, POLLS_TO_WAIT * Math.max(USUAL_POLL_MS, ...periods))
}

/** An order may be a little older than its service says. */
const CLOCK_SLACK_MS = 60_000
const POLLS_TO_WAIT = 2
const USUAL_POLL_MS = 30_000

/**
 * The orders whose codes are words of a comment, in whatever case; first those that wait for a payment, in the order of the
 * comment.
 */
async function namedOrders(
  data: Pick<DataStore, 'donations'>,
  provider: PaymentProviderId,
  { comment }: MatchingPayment,
): Promise<string[]> {
  const words = new Set(comment.toUpperCase().split(/[^\p{L}\p{N}]+/u))
  const named = (await data.donations.find({ provider })).filter(
    ({ matchCode }) => matchCode !== null && words.has(matchCode),
  )
  const places = [...words]
  return named
    .toSorted(
      (a, b) => places.indexOf(a.matchCode!) - places.indexOf(b.matchCode!) || b.createdAt - a.createdAt,
    )
    .toSorted((a, b) => Number(b.status === 'pending') - Number(a.status === 'pending'))
    .map(({ id }) => id)
}
