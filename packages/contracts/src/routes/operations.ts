import { Type } from 'typebox'
import { bytes, defineRoute } from '../route.ts'

export const getHealth = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'Checks that the process is alive',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: [],
  example: { reply: { ok: true } },
})

export const getReadiness = defineRoute({
  method: 'GET',
  path: '/readyz',
  summary:
    'Checks that this replica can serve: it is not shutting down, reaches Redis and keeps up. Outages that all replicas share do not count',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { ok: true } },
})

export const getStreamReadiness = defineRoute({
  method: 'GET',
  path: '/readyz/stream',
  summary: 'Checks that this replica is ready and has the state of the air and, in stream mode, fresh audio',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { ok: true } },
})

export const getMetrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary:
    'Returns the metrics of this replica (of each of its processes, with the label `process`, if there are several), the air and the job queues for Prometheus',
  access: 'operator',
  reply: bytes('text/plain', 'Prometheus text format 0.0.4'),
  failures: [],
})
