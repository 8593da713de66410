import { jobs as contract } from '@solstice/contracts'
import type { Audit, JobQueue } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../http/implement.ts'

const MAX_PAGE = 100

/** The list of background jobs. */
export function jobRoutes(app: FastifyInstance, { jobs, audit }: { jobs: JobQueue; audit: Audit }): void {
  implement(app, contract.getJobs, async ({ query }) => ({
    ok: true as const,
    queues: await jobs.board({ ...query, limit: Math.min(query.limit, MAX_PAGE) }),
  }))

  implement(app, contract.retryJob, async ({ params: { queue, id }, caller }) => {
    const name = await jobs.retry(queue, id)
    await audit.record(caller, 'job_retry', { queue, jobId: id, name })
    return { ok: true as const }
  })
}
