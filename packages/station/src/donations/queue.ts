import type { FailureDetails } from '@solstice/contracts'
import { isOrderKnown, type OrderEffect, type PlayoutState } from '@solstice/playout'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { sleep } from '../core/sleep.ts'
import { trackRef } from '../library/library.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, StationClock } from '../ports/bus.ts'
import type { DataStore, DonationRecord, LedgerRecord, SettingsRecord } from '../ports/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import { recordClaimed, recordInLedger } from './claim.ts'
import { toUnits } from './pricing.ts'
import { defaultDonationSettings } from './settings.ts'

type Donation = Readonly<DonationRecord>

export interface DonationQueueDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'tracks' | 'settings'>
  bus: Pick<Bus, 'send'>
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
  clock: StationClock
}

const DAY_MS = 24 * 3_600_000
/** A song that others were just before tries again so often, and for so long. */
const TRY_EVERY_MS = 2_000
const TRY_FOR_MS = 40_000

/**
 * The song of a paid order goes to the queue; where there is no place for it that is settled. Doing it again, and by whomever,
 * continues where it was.
 *
 * @throws Failure AIR_UNAVAILABLE when nobody can say yet whether there is a place; then it is due as before.
 * @throws the reason of `stopping`.
 */
export async function queueDonation(
  deps: DonationQueueDeps,
  donationId: string,
  stopping: AbortSignal,
): Promise<void> {
  const giveUpMs = deps.clock.nowMs() + TRY_FOR_MS
  for (let attempt = 1; ; attempt++) {
    stopping.throwIfAborted()
    const donation = await deps.data.donations.get(donationId)
    if (donation?.queue === 'refusing') return tellRefused(deps, donation)
    if (donation?.status !== 'paid' || donation.queue !== 'due') return
    // Who claimed it may not have come to say so.
    if (attempt === 1) await recordClaimed(deps.data, donation)
    const why = await offer(deps, donation)
    if (why === null) return
    if (why !== 'cooldown' || deps.clock.nowMs() + TRY_EVERY_MS > giveUpMs)
      return void (await refuseOrder(deps, donationId, why, ['due']))
    await sleep(TRY_EVERY_MS, { signal: stopping })
  }
}

/** The song of a paid order shall be queued soon: a job does it, one however often it is asked for. */
export async function scheduleDonation(
  { data, jobs }: { data: Pick<DataStore, 'donations'>; jobs: Pick<JobQueue, 'add'> },
  donationId: string,
): Promise<void> {
  const donation = await data.donations.get(donationId)
  if (donation && isUnfinished(donation)) await jobs.add('queue-donation', { donationId }, { id: donationId })
}

/** Hands over all paid orders that are not settled yet, oldest first: nobody else may have come to it. */
export async function scheduleUnfinishedDonations(deps: {
  data: Pick<DataStore, 'donations'>
  jobs: Pick<JobQueue, 'add'>
}): Promise<void> {
  const unfinished = (await deps.data.donations.find()).filter(isUnfinished)
  for (const { id } of unfinished.toSorted((a, b) => (a.paidAt ?? 0) - (b.paidAt ?? 0)))
    await scheduleDonation(deps, id)
}

/**
 * Orders whose songs were queued and have not been on the air, and of which the air knows nothing: the queue was lost. They
 * are due again; how many.
 */
export async function restoreLostOrders(
  data: Pick<DataStore, 'donations'>,
  air: PlayoutState,
): Promise<number> {
  const queued = await data.donations.find({ status: 'paid', queue: 'queued' })
  const lost = queued.filter(({ id }) => !isOrderKnown(air, id))
  const restored = await Promise.all(
    lost.map(({ id }) => data.donations.update({ id, queue: 'queued' }, { queue: 'due' })),
  )
  return restored.reduce((sum, count) => sum + count, 0)
}

/**
 * What the air says of an order is remembered. Of an order that is no donation nothing is.
 *
 * @param frame of the broadcast in which the song began or ended; null without a stream.
 */
export async function followOrder(
  deps: Omit<DonationQueueDeps, 'bus'>,
  effect: OrderEffect,
  frame: number | null,
): Promise<void> {
  const { data } = deps
  const { orderId: donationId, type } = effect
  const donation = await data.donations.get(donationId)
  if (!donation) return
  if (type === 'order-dropped')
    return void (await refuseOrder(deps, donationId, effect.why, ['due', 'queued', 'aired']))
  const note = frame === null ? '' : `frame ${frame}`
  const event = type === 'order-aired' ? 'on-air' : 'finished'
  // Who queued it may not have come to say so.
  if (event === 'on-air' && donation.queue === 'due') await tellQueued(deps, donation)
  await recordInLedger(data, {
    donationId,
    event,
    onceKey: `${event} ${donationId}`,
    atMs: effect.atMs,
    note,
  })
  if (type === 'order-ended') return
  for (const queue of ['due', 'queued'] as const)
    await data.donations.update(
      { id: donationId, status: 'paid', queue },
      { queue: 'aired', airedAt: Math.round(effect.atMs) },
    )
}

/** What happened to a donation, in order. */
export async function readLedger(
  data: Pick<DataStore, 'ledger'>,
  donationId: string,
): Promise<readonly Readonly<LedgerRecord>[]> {
  return data.ledger.find({ donationId })
}

function isUnfinished({ status, queue }: Donation): boolean {
  return (status === 'paid' && queue === 'due') || queue === 'refusing'
}

/** Offers a song to the air; null = it has its place, else why it has none. @throws Failure AIR_UNAVAILABLE */
async function offer(deps: DonationQueueDeps, donation: Donation): Promise<string | null> {
  const { data, bus } = deps
  const { id: orderId, songId, tier, paidAt } = donation
  const track = await data.tracks.get(songId)
  if (!track) return 'song_gone'
  const stored = (await data.settings.get('donations')) as Readonly<SettingsRecord<'donations'>> | null
  const { blockDonationsWhileChatting } = { ...defaultDonationSettings, ...stored?.value }
  const [wasQueued] = await data.ledger.find({ onceKey: queuedKey(orderId) })
  const outcome = await bus.send({
    type: 'add-song',
    track: trackRef(track),
    mode: track.mode,
    orderType: 'donated',
    tier,
    orderId,
    resumesQueue: !blockDonationsWhileChatting,
    ...(paidAt !== null && { notAfterMs: paidAt + DAY_MS }),
    ...(wasQueued && { restores: true }),
  })
  if (outcome.ok) {
    await tellQueued(deps, donation)
    return null
  }
  const { reason = outcome.code } = (outcome.details ?? {}) as FailureDetails
  // Without a list there is no place that could be taken.
  if (reason === 'preparing') throw new Failure('AIR_UNAVAILABLE', { reason })
  return String(reason)
}

/** All are told before the order is settled: whoever is killed in between is followed by somebody who tells again. */
async function tellQueued(
  { data, audit, announcer, clock }: Omit<DonationQueueDeps, 'bus'>,
  donation: Donation,
): Promise<void> {
  const { id: donationId, uid, tier, songTitle: title, songArtist: artist, currency } = donation
  const [wasQueued] = await data.ledger.find({ onceKey: queuedKey(donationId) })
  if (!wasQueued) {
    const amount = toUnits(donation.amountMinor)
    await audit.record(donor(uid), 'donation_queue_add', { title, artist, amount, currency })
    announcer.tell({ uid }, 'donation_result', { donationId, accepted: true, tier, song: { title, artist } })
    const entry = { donationId, event: 'queued', atMs: clock.nowMs(), note: '' } as const
    await recordInLedger(data, { ...entry, onceKey: queuedKey(donationId) })
  }
  await data.donations.update({ id: donationId, status: 'paid', queue: 'due' }, { queue: 'queued' })
}

/** The song of a paid order will not be heard; whether it stood in one of these places until now. */
async function refuseOrder(
  deps: Omit<DonationQueueDeps, 'bus'>,
  id: string,
  why: string,
  places: NonNullable<Donation['queue']>[],
): Promise<boolean> {
  const { donations } = deps.data
  for (const queue of places) {
    const change = { status: 'paid_unqueued', queue: 'refusing', refusedWhy: why } as const
    if ((await donations.update({ id, status: 'paid', queue }, change)) === 0) continue
    const donation = await donations.get(id)
    if (donation) await tellRefused(deps, donation)
    return true
  }
  return false
}

async function tellRefused(
  { data, audit, announcer, clock }: Omit<DonationQueueDeps, 'bus'>,
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

const queuedKey = (donationId: string) => `queued ${donationId}`
/** Another one than that of an order which was closed unpaid: it may have been paid after that. */
const unqueuedKey = (donationId: string) => `unqueued ${donationId}`
const donor = (uid: string) => ({ adminId: 'donation', login: uid })
