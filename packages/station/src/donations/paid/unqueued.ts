import { obstacleTo, type PlayoutState } from '@solstice/playout'
import { Failure } from '../../core/failure.ts'
import { toUnits } from '../../core/units.ts'
import { trackRef } from '../../library/library.ts'
import type { Actor } from '../../ports/accounts.ts'
import type { DataStore, DonationRecord } from '../../ports/data/data-store.ts'
import type { JobQueue } from '../../ports/job-queue.ts'
import { recordPaidBack, recordRequeued } from '../ledger.ts'
import { scheduleDonation } from './queue.ts'
import { type SettleDeps, settleRefused } from './settle.ts'

type Donation = Readonly<DonationRecord>

/**
 * Has the track of an order that found no place queued again, by the rules for every paid track. A repetition changes
 * nothing until the track was heard or refused again.
 *
 * @param call.air advanced to now; null while no state is known: then the queue decides later.
 * @throws Failure NOT_FOUND, DONATION_NOT_UNQUEUED, SONG_NOT_FOUND, SONG_NOT_ORDERABLE
 */
export async function requeueDonation(
  deps: SettleDeps & {
    data: Pick<DataStore, 'donations' | 'ledger' | 'tracks'>
    jobs: Pick<JobQueue, 'add'>
  },
  actor: Actor,
  { id, air }: { id: string; air: PlayoutState | null },
): Promise<Donation> {
  const { data, audit, clock } = deps
  const { donations } = data
  const donation = await findSettled(deps, id)
  if (donation.status === 'paid_unqueued') {
    await assertOrderable(data, air, donation, clock.nowMs())
    const requeues = (donation.requeues ?? 0) + 1
    const again = { status: 'paid', queue: 'due', refusedWhy: null, airedAt: null, requeues } as const
    const requeuedAt = Math.floor(clock.nowMs())
    await donations.update({ id, ...UNQUEUED, ...sameAttempt(donation) }, { ...again, requeuedAt })
  }
  const now = (await donations.get(id)) ?? donation
  const isWaiting = now.requeues && now.status === 'paid' && (now.queue === 'due' || now.queue === 'queued')
  if (!isWaiting) throw notUnqueued(now)
  if (await recordRequeued(data, now, `by ${actor.login}`))
    await audit.record(actor, 'donation_requeue', about(now))
  await scheduleDonation(deps, id)
  return now
}

/**
 * Closes an order that found no place, because its money was paid back at the payment service. A repetition changes nothing.
 *
 * @throws Failure NOT_FOUND, DONATION_NOT_UNQUEUED
 */
export async function payBackDonation(deps: SettleDeps, actor: Actor, id: string): Promise<Donation> {
  const { data, audit, announcer, clock } = deps
  const donation = await findSettled(deps, id)
  if (donation.status === 'paid_unqueued')
    await data.donations.update({ id, ...UNQUEUED, ...sameAttempt(donation) }, { status: 'paid_back' })
  const now = (await data.donations.get(id)) ?? donation
  if (now.status !== 'paid_back') throw notUnqueued(now)
  const isNew = await recordPaidBack(data, {
    donationId: id,
    note: `by ${actor.login}`,
    atMs: clock.nowMs(),
  })
  if (isNew) {
    await audit.record(actor, 'donation_paid_back', about(now))
    const result = { donationId: id, accepted: false, reason: 'paid_back' } as const
    announcer.tell({ uid: now.uid }, 'donation_result', result)
  }
  return now
}

/** An order whose donor was told that its track will not be heard, and nobody has decided yet. */
const UNQUEUED = { status: 'paid_unqueued', queue: 'refused' } as const
const sameAttempt = ({ requeues }: Donation) => requeues !== undefined && { requeues }

/** Reads an order, and finishes its refusal if a crash left it half done. @throws Failure NOT_FOUND */
async function findSettled(deps: SettleDeps, id: string): Promise<Donation> {
  const { donations } = deps.data
  const donation = await donations.get(id)
  if (!donation) throw new Failure('NOT_FOUND')
  if (donation.queue !== 'refusing') return donation
  await settleRefused(deps, donation)
  return (await donations.get(id)) ?? donation
}

/** @throws Failure SONG_NOT_FOUND, SONG_NOT_ORDERABLE when the queue is sure to refuse the track now. */
async function assertOrderable(
  data: Pick<DataStore, 'tracks'>,
  air: PlayoutState | null,
  { songId, tier }: Donation,
  nowMs: number,
): Promise<void> {
  const track = await data.tracks.get(songId)
  if (!track) throw new Failure('SONG_NOT_FOUND')
  const order = { track: trackRef(track), mode: track.mode, orderType: 'donated', tier } as const
  const obstacle = air && obstacleTo(air, order, nowMs)
  if (obstacle) throw new Failure('SONG_NOT_ORDERABLE', obstacle)
}

function notUnqueued({ status, queue }: Donation): Failure {
  const isHeard = status === 'paid' && queue === 'aired'
  const reason = isHeard ? 'aired' : status === 'paid' || status === 'paid_back' ? status : 'unpaid'
  return new Failure('DONATION_NOT_UNQUEUED', { reason, status })
}

function about({ id, songTitle, songArtist, amountMinor, currency }: Donation): Record<string, unknown> {
  return { id, title: songTitle, artist: songArtist, amount: toUnits(amountMinor), currency }
}
