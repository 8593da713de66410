import type { Ports } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import { applyInbox, expireOrders, handOverRest, restoreLostOrders } from '@solstice/station'

type SweepPorts = Pick<Ports, 'data' | 'jobs' | 'announcer' | 'payments' | 'bus' | 'clock' | 'log'>

/**
 * Orders that nobody paid for expire. What others left half done is finished: deliveries that were kept, paid songs that were
 * not queued, and those that were lost with the queue.
 */
export async function sweepDonations(ports: SweepPorts): Promise<void> {
  const { data, bus, clock, log } = ports
  await applyInbox(ports, clock.nowMs())
  const expired = await expireOrders(ports, clock.nowMs())
  const air = await airNow(bus)
  const restored = air ? await restoreLostOrders(data, air) : 0
  await handOverRest(ports)
  if (expired + restored > 0) log.info({ expired, restored }, 'orders were swept')
}

/** null when no worker was ever on the air. */
async function airNow(bus: Ports['bus']): Promise<PlayoutState | null> {
  let air: PlayoutState | null = null
  const unsubscribe = await bus.follow((state) => {
    air = state
  })
  unsubscribe()
  return air
}
