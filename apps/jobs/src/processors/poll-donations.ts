import type { Ports } from '@solstice/adapters'
import { pollPayments } from '@solstice/station'

type PollPorts = Pick<Ports, 'data' | 'jobs' | 'announcer' | 'payments' | 'leases' | 'clock' | 'log'>

/**
 * Reads payments from the services that do not post them, in one process at a time. A failed poll waits for the next
 * interval.
 */
export async function pollDonations(ports: PollPorts, jobId: string): Promise<void> {
  const { leases, clock, log } = ports
  let isAsking = false
  try {
    // Aborted from the start: does not wait while another poll holds the lease.
    await leases.hold(jobId, ['poll-donations'], AbortSignal.abort(), () => {
      isAsking = true
      return pollPayments(ports, clock.nowMs())
    })
  } catch (error) {
    if (isAsking) log.warn({ err: error }, 'payments could not be read')
    else log.debug({ err: error }, 'payments are already being read')
  }
}
