import type { JobState, QueueReport } from '@solstice/contracts'
import type { BoardPage } from '@solstice/station'
import type { Queue } from 'bullmq'
import { progressOf } from './job-progress.ts'
import { refusalIn } from './refusals.ts'

const states = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'] as const satisfies JobState[]
const MAX_REASON_LENGTH = 300

/** The jobs of a queue in one state, or in all: running, waiting, ended. */
export async function reportOf(queue: Queue, { state, offset, limit }: BoardPage): Promise<QueueReport> {
  const [{ waiting = 0, active = 0, delayed = 0, failed = 0, completed = 0 }, isPaused, schedulers] =
    await Promise.all([
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
      queue.isPaused(),
      queue.getJobSchedulers(),
    ])
  // BullMQ counts jobs of a paused queue as waiting.
  const counted = {
    ...{ waiting: isPaused ? 0 : waiting, active, delayed },
    ...{ failed, completed, paused: isPaused ? waiting : 0 },
  }
  const shown = state ? [state] : states
  const jobs: QueueReport['jobs'] = []
  let before = offset
  for (const one of shown) {
    const left = limit - jobs.length
    if (left > 0 && before < counted[one])
      jobs.push(...(await jobsOf(queue, one, before, Math.min(before + left, counted[one]))))
    before = Math.max(0, before - counted[one])
  }
  return {
    name: queue.name,
    counts: counted,
    recurrences: schedulers.map(({ key, name, pattern, tz, every, next }) => ({
      name: name ?? key,
      pattern: pattern ?? null,
      timeZone: tz ?? null,
      everyMs: every ?? null,
      nextAt: next ?? null,
    })),
    jobs,
    total: shown.reduce((sum, one) => sum + counted[one], 0),
  }
}

/** Reads jobs one by one: data and result of each may be of some MB. */
async function jobsOf(queue: Queue, state: JobState, from: number, to: number): Promise<QueueReport['jobs']> {
  const found: QueueReport['jobs'] = []
  for (const id of await queue.getRanges([state === 'paused' ? 'waiting' : state], from, to - 1, false)) {
    const job = await queue.getJob(id)
    // Removed meanwhile.
    if (!job) continue
    const { done, total } = progressOf(job)
    found.push({
      id,
      name: job.name,
      state,
      attempts: job.attemptsMade,
      progress: typeof job.progress === 'object' ? { done, total } : null,
      createdAt: job.timestamp,
      startedAt: job.processedOn ?? null,
      finishedAt: job.finishedOn ?? null,
      failedReason: job.failedReason ? shownReason(job.failedReason) : null,
    })
  }
  return found
}

/** The reason in one line; addresses lose user names, passwords, paths and queries, which may be secret. */
function shownReason(reason: string): string {
  const refusal = refusalIn(reason)
  if (refusal) {
    const details = Object.entries(refusal.details).map(([name, value]) => `${name}=${value}`)
    return [refusal.code, ...details].join(' ').slice(0, MAX_REASON_LENGTH)
  }
  const [line = ''] = reason.split('\n')
  return line
    .replace(/\b([a-z][\w+.-]*:\/\/)(?:[^\s/]*@)?([\w.:[\]-]*)[^\s'"]*/gi, '$1$2')
    .slice(0, MAX_REASON_LENGTH)
}
