import type { Ports } from '@solstice/adapters'
import {
  applyInbox,
  expireOrders,
  redateOrders,
  restoreLostOrders,
  scheduleUnfinishedDonations,
} from '@solstice/station'
import { savedAir } from './saved-air.ts'

type SweepPorts = Pick<Ports, 'data' | 'jobs' | 'announcer' | 'payments' | 'bus' | 'clock' | 'log'>

/**
 * Expires unpaid orders and finishes interrupted work: stored deliveries, paid tracks that were not queued, and paid tracks that
 * were lost with the queue.
 *
 * @throws the first error, after trying all of this.
 */
export async function sweepDonations(ports: SweepPorts): Promise<void> {
  const { data, bus, clock, log } = ports
  const restore = async () => {
    const air = await savedAir(bus)
    return air ? restoreLostOrders(data, air) : 0
  }
  // Payments are applied first, so that an order paid in time does not expire.
  const [applied] = await Promise.allSettled([applyInbox(ports, clock.nowMs())])
  const [expired, restored] = await Promise.allSettled([expireOrders(ports, clock.nowMs()), restore()])
  await scheduleUnfinishedDonations(ports)
  await redateOrders(data, clock)
  const counts = { expired: countOf(expired), restored: countOf(restored) }
  if (counts.expired + counts.restored > 0) log.info(counts, 'orders swept')
  for (const part of [applied, expired, restored]) if (part.status === 'rejected') throw part.reason
}

function countOf(part: PromiseSettledResult<number>): number {
  return part.status === 'fulfilled' ? part.value : 0
}
