import { METRICS_TYPE } from '@solstice/adapters'
import { operations } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../air/readiness.ts'
import { implement } from '../http/implement.ts'

/** Health and readiness for balancers and supervisors, metrics for Prometheus. */
export function operationsRoutes(
  app: FastifyInstance,
  readiness: Readiness,
  report: () => Promise<Uint8Array>,
): void {
  implement(app, operations.getHealth, ({ reply }) => {
    reply.header('cache-control', 'no-store')
    return { ok: true as const }
  })

  for (const [route, hindrance] of [
    [operations.getReadiness, readiness.unreadyReason],
    [operations.getStreamReadiness, readiness.streamUnreadyReason],
  ] as const) {
    implement(app, route, ({ reply }) => {
      reply.header('cache-control', 'no-store')
      const reason = hindrance()
      if (reason) throw new Failure('AIR_UNAVAILABLE', { reason })
      return { ok: true as const }
    })
  }

  implement(app, operations.getMetrics, async ({ reply }) => {
    reply.header('cache-control', 'no-store').type(METRICS_TYPE)
    return reply.send(await report())
  })
}
