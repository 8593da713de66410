import { METRICS_TYPE, type Metrics } from '@solstice/adapters'
import { operations } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../implement.ts'
import type { Readiness } from '../readiness.ts'

/** What balancers, supervisors and Prometheus ask. */
export function operationsRoutes(app: FastifyInstance, readiness: Readiness, metrics: Metrics): void {
  implement(app, operations.getHealth, ({ reply }) => {
    reply.header('cache-control', 'no-store')
    return { ok: true as const }
  })

  implement(app, operations.getReadiness, ({ reply }) => {
    reply.header('cache-control', 'no-store')
    const answer = readiness()
    if (!answer.ready) throw new Failure('AIR_UNAVAILABLE', { reason: answer.reason })
    return { ok: true as const }
  })

  implement(app, operations.getMetrics, async ({ reply }) => {
    reply.header('cache-control', 'no-store').type(METRICS_TYPE)
    return reply.send(await metrics.report())
  })
}
