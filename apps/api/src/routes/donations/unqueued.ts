import { donations } from '@solstice/contracts'
import {
  type Announcer,
  type Audit,
  type DataStore,
  donationEntry,
  type JobQueue,
  type Payments,
  payBackDonation,
  requeueDonation,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { AirMirror } from '../../stream/mirror.ts'
import { withProvider } from './with-provider.ts'

export interface UnqueuedDeps {
  data: DataStore
  clock: WallClock
  mirror: AirMirror
  jobs: JobQueue
  payments: Payments
  audit: Audit
  announcer: Announcer
}

/** Decisions about paid orders that found no place in the queue. */
export function unqueuedRoutes(app: FastifyInstance, deps: UnqueuedDeps): void {
  const serve = withProvider(app, deps.payments)

  serve(donations.requeueDonation, 'DONATIONS_CHANGE_FAILED', async ({ caller, params }) => {
    const order = { id: params.id, air: deps.mirror.at(deps.clock.nowMs()) }
    return { ok: true as const, entry: donationEntry(await requeueDonation(deps, caller, order)) }
  })

  serve(donations.payBackDonation, 'DONATIONS_CHANGE_FAILED', async ({ caller, params }) => ({
    ok: true as const,
    entry: donationEntry(await payBackDonation(deps, caller, params.id)),
  }))
}
