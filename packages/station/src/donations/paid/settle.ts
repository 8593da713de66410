import type { ServerPayload } from '@solstice/contracts'
import type { Audit } from '../../accounts/audit.ts'
import { toUnits } from '../../core/units.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { StationClock } from '../../ports/bus.ts'
import type { DataStore, DonationRecord, LedgerRecord } from '../../ports/data/data-store.ts'
import { recordInLedger } from '../ledger.ts'
import { orderIdOf } from './order-id.ts'

export type Donation = Readonly<DonationRecord>

const DONOR_ID = 'donation'

export interface SettleDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'audit'>
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
  clock: StationClock
}

/**
 * Settles an order whose track has its place in the queue. Ledger, donor and audit log are told before the order changes: a
 * process killed in between leaves an order that the next one settles again.
 */
export async function settleQueued(deps: SettleDeps, donation: Donation): Promise<void> {
  const { id: donationId, tier, songTitle: title, songArtist: artist, currency } = donation
  const amount = toUnits(donation.amountMinor)
  await tellOnce(deps, donation, {
    entry: { event: 'queued', onceKey: queuedKey(donation), note: '' },
    result: { donationId, accepted: true, tier, song: { title, artist } },
    audited: { operationType: 'donation_queue_add', about: { title, artist, amount, currency } },
  })
  const due = { id: donationId, status: 'paid', queue: 'due', ...attemptOf(donation) } as const
  await deps.data.donations.update(due, { queue: 'queued' })
}

/** Refuses the track of a paid order. @param refusal.from the states in which the order may be; in any other it stays as it is. */
export async function refuseOrder(
  deps: SettleDeps,
  donation: Donation,
  { why, from }: { why: string; from: NonNullable<Donation['queue']>[] },
): Promise<void> {
  const { donations } = deps.data
  const { id } = donation
  for (const queue of from) {
    const change = { status: 'paid_unqueued', queue: 'refusing', refusedWhy: why } as const
    const where = { id, status: 'paid', queue, ...attemptOf(donation) } as const
    if ((await donations.update(where, change)) === 0) continue
    const refused = await donations.get(id)
    if (refused) await settleRefused(deps, refused)
    return
  }
}

/** Settles an order whose track will not be heard; in the same order as above. */
export async function settleRefused(deps: SettleDeps, donation: Donation): Promise<void> {
  const { id: donationId, songTitle: title, songArtist: artist, refusedWhy } = donation
  await tellOnce(deps, donation, {
    entry: { event: 'refused', onceKey: unqueuedKey(donation), note: refusedWhy ?? '' },
    result: { donationId, accepted: false, reason: 'no_slot' },
    audited: { operationType: 'donation_insert_failed', about: { title, artist } },
  })
  await deps.data.donations.update({ id: donationId, queue: 'refusing' }, { queue: 'refused' })
}

/** News of an order that was settled. */
interface Settled {
  entry: Pick<LedgerRecord, 'event' | 'onceKey' | 'note'>
  result: ServerPayload<'donation_result'>
  audited: { operationType: string; about: Record<string, unknown> }
}

/** Tells ledger, donor and audit log. The audit log comes last: an entry there says that all were told. */
async function tellOnce(
  { data, audit, announcer, clock }: SettleDeps,
  { id: donationId, uid }: Donation,
  { entry, result, audited }: Settled,
): Promise<void> {
  const { operationType, about } = audited
  const { onceKey } = entry
  const isNew = await recordInLedger(data, { ...entry, donationId, atMs: clock.nowMs() })
  if (!isNew && (await data.audit.find({ onceKey })).length > 0) return
  announcer.tell({ uid }, 'donation_result', result)
  await audit.record({ adminId: DONOR_ID, login: uid }, operationType, about, { onceKey })
}

/** True when an order has had its place in the queue, since it was last queued by an admin. */
export async function wasQueued(data: Pick<DataStore, 'ledger'>, donation: Donation): Promise<boolean> {
  return (await data.ledger.find({ onceKey: queuedKey(donation) })).length > 0
}

const queuedKey = (donation: Donation) => `queued ${orderIdOf(donation)}`
/** Differs from the key of an order closed unpaid: that one may have been paid later. */
const unqueuedKey = (donation: Donation) => `unqueued ${orderIdOf(donation)}`
/** Keeps late news of an earlier attempt from changing a later one. */
export const attemptOf = ({ requeues }: Donation) => requeues !== undefined && { requeues }
