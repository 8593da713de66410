import { Type } from 'typebox'
import { bytes, defineRoute } from '../route.ts'

export const getHealth = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'The process is alive',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: [],
  example: { reply: { ok: true } },
})

export const getReadiness = defineRoute({
  method: 'GET',
  path: '/readyz',
  summary:
    'Nothing is wrong with this replica: it stays, Redis answers, the process keeps up; what all replicas lack does not count',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { ok: true } },
})

export const getStreamReadiness = defineRoute({
  method: 'GET',
  path: '/readyz/stream',
  summary: 'This replica is ready and has what listeners hear: the air, and in stream mode fresh sound',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { ok: true } },
})

export const getMetrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'What this replica, the air and the queues are like, for Prometheus',
  access: 'operator',
  reply: bytes('text/plain', 'Prometheus text format 0.0.4'),
  failures: [],
})
