import type { Audit } from '../accounts/audit.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { StationClock } from '../ports/bus.ts'
import type { DataStore, DonationRecord } from '../ports/data-store.ts'
import { recordInLedger } from './ledger.ts'
import { toUnits } from './pricing.ts'

type Donation = Readonly<DonationRecord>

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
  if (!(await wasQueued(data, donationId))) {
    const amount = toUnits(donation.amountMinor)
    await audit.record(donor(uid), 'donation_queue_add', { title, artist, amount, currency })
    announcer.tell({ uid }, 'donation_result', { donationId, accepted: true, tier, song: { title, artist } })
    const entry = { donationId, event: 'queued', atMs: clock.nowMs(), note: '' } as const
    await recordInLedger(data, { ...entry, onceKey: queuedKey(donationId) })
  }
  await data.donations.update({ id: donationId, status: 'paid', queue: 'due' }, { queue: 'queued' })
}

/** Refuses the track of a paid order. @param refusal.from the states in which the order may be; in any other it stays as it is. */
export async function refuseOrder(
  deps: SettleDeps,
  { id, why, from }: { id: string; why: string; from: NonNullable<Donation['queue']>[] },
): Promise<void> {
  const { donations } = deps.data
  for (const queue of from) {
    const change = { status: 'paid_unqueued', queue: 'refusing', refusedWhy: why } as const
    if ((await donations.update({ id, status: 'paid', queue }, change)) === 0) continue
    const donation = await donations.get(id)
    if (donation) await settleRefused(deps, donation)
    return
  }
}

/** Settles an order whose track will not be heard; in the same order as above. */
export async function settleRefused(
  { data, audit, announcer, clock }: SettleDeps,
  { id: donationId, uid, songTitle: title, songArtist: artist, refusedWhy }: Donation,
): Promise<void> {
  const [wasTold] = await data.ledger.find({ onceKey: unqueuedKey(donationId) })
  if (!wasTold) {
    await audit.record(donor(uid), 'donation_insert_failed', { title, artist })
    announcer.tell({ uid }, 'donation_result', { donationId, accepted: false, reason: 'no_slot' })
    const entry = { donationId, event: 'refused', atMs: clock.nowMs(), note: refusedWhy ?? '' } as const
    await recordInLedger(data, { ...entry, onceKey: unqueuedKey(donationId) })
  }
  await data.donations.update({ id: donationId, queue: 'refusing' }, { queue: 'refused' })
}

/** True when an order has had its place in the queue. */
export async function wasQueued(data: Pick<DataStore, 'ledger'>, donationId: string): Promise<boolean> {
  return (await data.ledger.find({ onceKey: queuedKey(donationId) })).length > 0
}

const queuedKey = (donationId: string) => `queued ${donationId}`
/** Differs from the key of an order closed unpaid: that one may have been paid later. */
const unqueuedKey = (donationId: string) => `unqueued ${donationId}`
const donor = (uid: string) => ({ adminId: 'donation', login: uid })
