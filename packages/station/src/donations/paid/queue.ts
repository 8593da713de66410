import type { FailureDetails } from '@solstice/contracts'
import { Failure } from '../../core/failure.ts'
import { sleep } from '../../core/turns/sleep.ts'
import { trackRef } from '../../library/library.ts'
import type { Bus } from '../../ports/bus.ts'
import type { DataStore, DonationRecord, SettingsRecord } from '../../ports/data/data-store.ts'
import type { JobQueue } from '../../ports/job-queue.ts'
import { recordClaimed, recordRequeued } from '../ledger.ts'
import { defaultDonationSettings } from '../settings.ts'
import { orderIdOf } from './order-id.ts'
import { refuseOrder, type SettleDeps, settleQueued, settleRefused, wasQueued } from './settle.ts'

type Donation = Readonly<DonationRecord>

export interface DonationQueueDeps extends SettleDeps {
  data: Pick<DataStore, 'donations' | 'ledger' | 'audit' | 'tracks' | 'settings'>
  bus: Pick<Bus, 'send'>
}

const DAY_MS = 24 * 3_600_000
/** The queue takes no two tracks at once: retries wait for the cooldown of the one before. */
const TRY_EVERY_MS = 2_000
const TRY_FOR_MS = 40_000

/**
 * Queues the track of a paid order, or settles that it has no place. Idempotent: a repetition continues where a crash
 * interrupted.
 *
 * @throws Failure AIR_UNAVAILABLE when no worker decides; the order stays due.
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
    if (donation?.queue === 'refusing') return settleRefused(deps, donation)
    if (donation?.status !== 'paid' || donation.queue !== 'due') return
    // The process that claimed it may have been killed before it could say so.
    if (attempt === 1) await recordClaimed(deps.data, donation)
    if (attempt === 1 && donation.requeues) await recordRequeued(deps.data, donation, '')
    const why = await offer(deps, donation)
    if (why === null) return
    if (why !== 'cooldown' || deps.clock.nowMs() + TRY_EVERY_MS > giveUpMs)
      return refuseOrder(deps, donation, { why, from: ['due'] })
    await sleep(TRY_EVERY_MS, { signal: stopping })
  }
}

/** Has a job queue the track of a paid order; repeated calls add one job. */
export async function scheduleDonation(
  { data, jobs }: { data: Pick<DataStore, 'donations'>; jobs: Pick<JobQueue, 'add'> },
  donationId: string,
): Promise<void> {
  const donation = await data.donations.get(donationId)
  if (donation && isUnfinished(donation)) await jobs.add('queue-donation', { donationId }, { id: donationId })
}

/** Schedules all paid orders that are not settled yet, the oldest first. */
export async function scheduleUnfinishedDonations(deps: {
  data: Pick<DataStore, 'donations'>
  jobs: Pick<JobQueue, 'add'>
}): Promise<void> {
  const unfinished = (await deps.data.donations.find()).filter(isUnfinished)
  for (const { id } of unfinished.toSorted((a, b) => (a.paidAt ?? 0) - (b.paidAt ?? 0)))
    await scheduleDonation(deps, id)
}

/** Offers a track to the air. @returns null when it has its place, else the reason. @throws Failure AIR_UNAVAILABLE */
async function offer(deps: DonationQueueDeps, donation: Donation): Promise<string | null> {
  const { data, bus } = deps
  const { songId, tier, paidAt, requeuedAt } = donation
  const dueSinceMs = requeuedAt ?? paidAt
  const track = await data.tracks.get(songId)
  if (!track) return 'song_gone'
  const stored = (await data.settings.get('donations')) as Readonly<SettingsRecord<'donations'>> | null
  const { blockDonationsWhileChatting } = { ...defaultDonationSettings, ...stored?.value }
  const outcome = await bus.send({
    type: 'add-song',
    track: trackRef(track),
    mode: track.mode,
    orderType: 'donated',
    tier,
    orderId: orderIdOf(donation),
    resumesQueue: !blockDonationsWhileChatting,
    ...(dueSinceMs !== null && { notAfterMs: dueSinceMs + DAY_MS }),
    ...((await wasQueued(data, donation)) && { restores: true }),
  })
  if (outcome.ok) {
    await settleQueued(deps, donation)
    return null
  }
  const { reason = outcome.code } = (outcome.details ?? {}) as FailureDetails
  // Without a list there is no place that could be taken.
  if (reason === 'preparing') throw new Failure('AIR_UNAVAILABLE', { reason })
  return String(reason)
}

function isUnfinished({ status, queue }: Donation): boolean {
  return (status === 'paid' && queue === 'due') || queue === 'refusing'
}
