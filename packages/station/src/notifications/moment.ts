import { type PlayoutState, type QueueEntry, shownQueue } from '@solstice/playout'
import { orderIdOf } from '../donations/paid/order-id.ts'
import type { DonationRecord, NotificationRecord } from '../ports/data/data-store.ts'

/** Where a track stands: `over` when it will not be played, or was. */
export type Moment = 'waiting' | 'next' | 'on-air' | 'over'

type Awaited = Pick<NotificationRecord, 'uid' | 'trackId' | 'donationId'>

/**
 * Where the track of a request or an order stands.
 *
 * @param air advanced to now; null while no state is known.
 * @param donation the order; null for a request, or when it is deleted.
 */
export function momentOf(
  awaited: Awaited,
  air: PlayoutState | null,
  donation: Readonly<DonationRecord> | null,
): Moment {
  if (awaited.donationId === null) return momentOfRequest(awaited, air)
  if (!donation) return 'over'
  const { status, queue } = donation
  if (status === 'pending') return 'waiting'
  if (status !== 'paid' || queue === 'refusing' || queue === 'refused') return 'over'
  const orderId = orderIdOf(donation)
  const moment = air && momentInQueue(air, (entry) => entry.orderId === orderId)
  return moment ?? (queue === 'aired' ? 'over' : 'waiting')
}

function momentOfRequest({ uid, trackId }: Awaited, air: PlayoutState | null): Moment {
  if (!air) return 'waiting'
  const isIt = ({ orderType, track }: QueueEntry) => orderType === 'requested' && track.id === trackId
  const isUndecided = air.trackRequests.some((one) => one.uid === uid && one.track.id === trackId)
  // An admin may put it back.
  const isRemoved = (air.removed ?? []).some(({ entry }) => isIt(entry))
  return momentInQueue(air, isIt) ?? (isUndecided || isRemoved ? 'waiting' : 'over')
}

/** null = it is not in the queue. */
function momentInQueue(air: PlayoutState, isIt: (entry: QueueEntry) => boolean): Moment | null {
  const place = shownQueue(air).findIndex(isIt)
  if (place === 0) return 'next'
  if (air.onAir.phase === 'track' && isIt(air.onAir.entry)) return 'on-air'
  return place > 0 ? 'waiting' : null
}
