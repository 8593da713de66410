import type { PlayoutState } from '@solstice/playout'
import { sendCommand } from '../../core/outcome.ts'
import type { Actor } from '../../ports/accounts.ts'
import type { Bus } from '../../ports/bus.ts'
import { donationIdOf, orderIdOf } from './order-id.ts'
import { refuseOrder } from './settle.ts'
import { requeueDonation } from './unqueued.ts'

type RequeueDeps = Parameters<typeof requeueDonation>[0]

/**
 * Puts an entry back that was removed. The track of a paid order is queued again, by the rules for every paid track.
 *
 * @param call.air advanced to now; null when there is none.
 * @returns whether it is back, or will be by the rules for paid tracks.
 * @throws Failure QUEUE_RESTORE_FAILED, AIR_UNAVAILABLE, and those of `requeueDonation`
 */
export async function restoreEntry(
  deps: RequeueDeps & { bus: Pick<Bus, 'send'> },
  actor: Actor,
  { entryId, air }: { entryId: string; air: PlayoutState | null },
): Promise<'restored' | 'requeued'> {
  const { track, position, orderId } = await sendCommand(deps.bus, { type: 'restore-entry', entryId })
  if (orderId !== undefined) {
    await requeueRemovedDonation(deps, actor, { orderId, air })
    return 'requeued'
  }
  await deps.audit.record(actor, 'queue_restore', { position, title: track.title, artist: track.artist })
  return 'restored'
}

/** Queues the order of a removed entry again. @throws Failure as `requeueDonation` */
async function requeueRemovedDonation(
  deps: RequeueDeps,
  actor: Actor,
  { orderId, air }: { orderId: string; air: PlayoutState | null },
): Promise<void> {
  const id = donationIdOf(orderId)
  const donation = await deps.data.donations.get(id)
  // Whoever is told of the removal later finds it settled.
  if (donation && orderIdOf(donation) === orderId)
    await refuseOrder(deps, donation, { why: 'removed', from: ['due', 'queued'] })
  await requeueDonation(deps, actor, { id, air })
}
