import { Type } from 'typebox'
import { JobState, QueueReport } from '../resources/job.ts'
import { defineRoute } from '../route.ts'

export const getJobs = defineRoute({
  method: 'GET',
  path: '/api/admin/jobs',
  summary:
    'Returns the background jobs of each queue, newest first, with counts by state and the next runs of recurring jobs',
  access: 'super',
  query: Type.Object({
    queue: Type.Optional(Type.String({ maxLength: 100, description: 'default: all queues' })),
    state: Type.Optional(JobState),
    offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
    limit: Type.Integer({ minimum: 1, default: 20, description: 'jobs per queue, at most 100' }),
  }),
  reply: Type.Object({ ok: Type.Literal(true), queues: Type.Array(QueueReport) }),
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: {
    query: { state: 'failed', limit: 20 },
    reply: {
      ok: true,
      queues: [
        {
          name: 'jobs',
          counts: { waiting: 0, active: 1, delayed: 1, failed: 1, completed: 12, paused: 0 },
          recurrences: [
            {
              name: 'purge-expired',
              pattern: '0 4 * * *',
              timeZone: 'Europe/Kyiv',
              everyMs: null,
              nextAt: 1_790_042_400_000,
            },
          ],
          jobs: [
            {
              id: '17',
              name: 'measure-loudness',
              state: 'failed',
              attempts: 5,
              progress: { done: 0, total: 0 },
              createdAt: 1_790_000_000_000,
              startedAt: 1_790_000_015_000,
              finishedAt: 1_790_000_015_100,
              failedReason: 'ENOSPC: no space left on device, write',
            },
          ],
          total: 1,
        },
      ],
    },
  },
})

export const retryJob = defineRoute({
  method: 'POST',
  path: '/api/admin/jobs/:queue/:id/retry',
  summary: 'Runs a failed job again',
  access: 'super',
  params: Type.Object({ queue: Type.String({ maxLength: 100 }), id: Type.String({ maxLength: 200 }) }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: { reply: { ok: true } },
})
