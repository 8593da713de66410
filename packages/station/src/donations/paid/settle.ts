import type { Audit } from '../../accounts/audit.ts'
import { toUnits } from '../../core/units.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { StationClock } from '../../ports/bus.ts'
import type { DataStore, DonationRecord } from '../../ports/data/data-store.ts'
import { recordInLedger } from '../ledger.ts'
import { orderIdOf } from './order-id.ts'

export type Donation = Readonly<DonationRecord>

export interface SettleDeps {
  data: Pick<DataStore, 'donations' | 'ledger'>
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
  clock: StationClock
}

/**
 * Settles an order whose track has its place in the queue. Audit log, donor and ledger are told before the order changes: a
 * process killed in between leaves an order that the next one settles again.
 */
export async function settleQueued(
  { data, audit, announcer, clock }: SettleDeps,
  donation: Donation,
): Promise<void> {
  const { id: donationId, uid, tier, songTitle: title, songArtist: artist, currency } = donation
  if (!(await wasQueued(data, donation))) {
    const amount = toUnits(donation.amountMinor)
    await audit.record(donor(uid), 'donation_queue_add', { title, artist, amount, currency })
    announcer.tell({ uid }, 'donation_result', { donationId, accepted: true, tier, song: { title, artist } })
    const entry = { donationId, event: 'queued', atMs: clock.nowMs(), note: '' } as const
    await recordInLedger(data, { ...entry, onceKey: queuedKey(donation) })
  }
  const due = { id: donationId, status: 'paid', queue: 'due', ...attemptOf(donation) } as const
  await data.donations.update(due, { queue: 'queued' })
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
export async function settleRefused(
  { data, audit, announcer, clock }: SettleDeps,
  donation: Donation,
): Promise<void> {
  const { id: donationId, uid, songTitle: title, songArtist: artist, refusedWhy } = donation
  const onceKey = unqueuedKey(donation)
  const [wasTold] = await data.ledger.find({ onceKey })
  if (!wasTold) {
    await audit.record(donor(uid), 'donation_insert_failed', { title, artist })
    announcer.tell({ uid }, 'donation_result', { donationId, accepted: false, reason: 'no_slot' })
    const entry = { donationId, event: 'refused', atMs: clock.nowMs(), note: refusedWhy ?? '' } as const
    await recordInLedger(data, { ...entry, onceKey })
  }
  await data.donations.update({ id: donationId, queue: 'refusing' }, { queue: 'refused' })
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
const donor = (uid: string) => ({ adminId: 'donation', login: uid })
