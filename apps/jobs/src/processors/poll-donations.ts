import type { Ports } from '@solstice/adapters'
import { pollPayments } from '@solstice/station'

type PollPorts = Pick<Ports, 'data' | 'jobs' | 'announcer' | 'payments' | 'leases' | 'clock' | 'log'>

/**
 * Payments are read from the services that do not post them: once at a time in all processes, and after a failure not before
 * the next time comes.
 */
export async function pollDonations(ports: PollPorts, jobId: string): Promise<void> {
  const { leases, clock, log } = ports
  let isAsking = false
  try {
    // Nobody waits for a poll that takes longer than it should.
    await leases.hold(jobId, ['poll-donations'], AbortSignal.abort(), () => {
      isAsking = true
      return pollPayments(ports, clock.nowMs())
    })
  } catch (error) {
    if (isAsking) log.warn({ err: error }, 'payments could not be read')
    else log.debug({ err: error }, 'payments are being read already')
  }
}
