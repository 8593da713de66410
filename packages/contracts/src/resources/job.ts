import { type Static, Type } from 'typebox'
import { EpochMs, nullable } from './schema.ts'

export const JobState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('active'),
  Type.Literal('delayed'),
  Type.Literal('failed'),
  Type.Literal('completed'),
  Type.Literal('paused'),
])
export type JobState = Static<typeof JobState>

/** The contents of a queue of background jobs, without their data and results. */
export const QueueReport = Type.Object({
  name: Type.String(),
  counts: Type.Object({
    waiting: Type.Integer(),
    active: Type.Integer(),
    delayed: Type.Integer(),
    failed: Type.Integer(),
    completed: Type.Integer(),
    paused: Type.Integer(),
  }),
  recurrences: Type.Array(
    Type.Object({
      name: Type.String(),
      pattern: nullable(Type.String({ description: 'cron expression in `timeZone`' })),
      timeZone: nullable(Type.String()),
      everyMs: nullable(Type.Number()),
      nextAt: nullable(EpochMs),
    }),
  ),
  jobs: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      state: JobState,
      attempts: Type.Integer({ description: 'attempts made so far' }),
      progress: nullable(Type.Object({ done: Type.Number(), total: Type.Number() })),
      createdAt: EpochMs,
      startedAt: nullable(EpochMs),
      finishedAt: nullable(EpochMs),
      failedReason: nullable(Type.String({ description: 'failure code or a one-line message' })),
    }),
  ),
  total: Type.Integer({ description: 'jobs in the requested state, or in any' }),
})
export type QueueReport = Static<typeof QueueReport>
