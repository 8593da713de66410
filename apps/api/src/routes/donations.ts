import { donations, type Route } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../implement.ts'

/** Paid songs. This version has no payment provider, and says so wherever it is asked. */
export function donationRoutes(app: FastifyInstance): void {
  for (const route of Object.values(donations) as Route[])
    implement(app, route, () => {
      throw new Failure('FEATURE_UNAVAILABLE', { capability: 'donations' })
    })
}
