import type { QueueReport } from '@solstice/contracts'
import t from 'tap'
import { countsOf, inOrder, viewOf } from './job-runs.ts'

type Job = QueueReport['jobs'][number]
const counts = { waiting: 0, active: 0, delayed: 0, failed: 0, completed: 0, paused: 0 }
const nightly = { name: 'purge-expired', pattern: '0 4 * * *', timeZone: 'UTC', everyMs: null, nextAt: 9 }

const job = (name: string, state: Job['state'], id: string, attempts = state === 'delayed' ? 0 : 1): Job => ({
  ...{ id, name, state, attempts, progress: null },
  ...{ createdAt: 1, startedAt: null, finishedAt: null, failedReason: null },
})
const queue = (name: string, jobs: Job[], failed = 0): QueueReport => ({
  ...{ name, jobs, counts: { ...counts, failed }, recurrences: [nightly], total: jobs.length },
})
const ids = (jobs: readonly Job[]) => jobs.map(({ id }) => id)

t.test('what the station does by itself is a line per name, except where it needs a look', async (t) => {
  const jobs = [
    job('read-pictures', 'active', '9'),
    job('purge-expired', 'delayed', '8'),
    job('purge-expired', 'delayed', '7', 2),
    job('measure-loudness', 'failed', '6'),
    job('read-pictures', 'completed', '5'),
    job('measure-loudness', 'completed', '4'),
    job('read-pictures', 'completed', '3'),
  ]
  const { jobs: alone, runs } = viewOf(queue('jobs', jobs))
  t.same(ids(alone), ['9', '7', '6'], 'the next run is told by its recurrence, another attempt is not')
  t.same(
    runs.map((its) => [its.name, ...ids(its.jobs)]),
    [
      ['read-pictures', '5', '3'],
      ['measure-loudness', '4'],
    ],
  )
  t.same(countsOf({ ...queue('jobs', jobs, 1), counts: { ...counts, delayed: 2, failed: 1 } }), [1, 0, 1])
  t.same(ids(viewOf(queue('jobs', jobs), 'delayed').jobs), ['9', '8', '7', '6'], 'asked for, it is shown')
})

t.test('what people asked for stands for itself, and behind failed jobs only', async (t) => {
  const edits = queue('changes', [job('edit-track', 'completed', '2'), job('edit-track', 'completed', '1')])
  t.same(viewOf(edits), { jobs: edits.jobs, runs: [] })
  const order = inOrder([queue('jobs', []), queue('webhooks', [], 1), edits, queue('background', [])])
  t.same(
    order.map(({ name }) => name),
    ['webhooks', 'changes', 'jobs', 'background'],
  )
})
