import { isOrderKnown, type OrderEffect, type PlayoutState } from '@solstice/playout'
import type { DataStore } from '../../ports/data/data-store.ts'
import { recordInLedger } from '../ledger.ts'
import { donationIdOf, orderIdOf } from './order-id.ts'
import { attemptOf, type Donation, refuseOrder, type SettleDeps, settleQueued } from './settle.ts'

/**
 * Records what became of an order on the air; ignores orders that are no donations.
 *
 * @param frame of the broadcast at which the track began or ended; null without a stream.
 */
export async function followOrder(
  deps: SettleDeps,
  effect: OrderEffect,
  frame: number | null,
): Promise<void> {
  const { data } = deps
  const { orderId, type } = effect
  const donationId = donationIdOf(orderId)
  const donation = await data.donations.get(donationId)
  // Late news of an earlier attempt changes nothing.
  if (!donation || orderIdOf(donation) !== orderId) return
  if (type === 'order-dropped')
    return refuseOrder(deps, donation, { why: effect.why, from: ['due', 'queued', 'aired'] })
  const note = frame === null ? '' : `frame ${frame}`
  const event = type === 'order-aired' ? 'on-air' : 'finished'
  if (event === 'on-air') await settleHeard(deps, donation)
  await recordInLedger(data, {
    donationId,
    event,
    onceKey: `${event} ${orderId}`,
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

/** Settles an order of which something else is known than its place in the queue, though it is heard. */
async function settleHeard(deps: SettleDeps, donation: Donation): Promise<void> {
  const { data } = deps
  const { id, queue, status } = donation
  // The process that queued it may have been killed before it could say so.
  if (queue === 'due') return settleQueued(deps, donation)
  if (status !== 'paid_unqueued') return
  const [earlier] = await data.ledger.find({ onceKey: `on-air ${orderIdOf(donation)}` })
  if (earlier) return
  // The air refused it to one process, and took it from another one that had read the track before.
  await settleQueued(deps, donation)
  const where = { id, status, queue, ...attemptOf(donation) }
  await data.donations.update(where, { status: 'paid', queue: 'queued', refusedWhy: null })
}

/**
 * Makes queued orders due again that the air does not know: their queue was lost.
 *
 * @returns the number of orders.
 */
export async function restoreLostOrders(
  data: Pick<DataStore, 'donations'>,
  air: PlayoutState,
): Promise<number> {
  const queued = await data.donations.find({ status: 'paid', queue: 'queued' })
  const lost = queued.filter((donation) => !isOrderKnown(air, orderIdOf(donation)))
  const restored = await Promise.all(
    lost.map(({ id }) => data.donations.update({ id, queue: 'queued' }, { queue: 'due' })),
  )
  return restored.reduce((sum, count) => sum + count, 0)
}
