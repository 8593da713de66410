import type { FailureCode, FailureDetails, JobState, QueueReport } from '@solstice/contracts'
import { type BoardPage, Failure } from '@solstice/station'
import type { Job, Queue } from 'bullmq'

const states = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'] as const satisfies JobState[]
const LONGEST_REASON = 300
const REFUSAL = 'Failure '

/** A refusal as the reason of a failed job; `refusalIn` reads it. */
export function writeRefusal({ code, details }: Failure): string {
  return REFUSAL + JSON.stringify({ code, details })
}

/** The refusal that a job failed with, or null when it failed for another reason. */
export function refusalIn(reason: string): Failure | null {
  if (!reason.startsWith(REFUSAL)) return null
  const { code, details } = JSON.parse(reason.slice(REFUSAL.length)) as {
    code: FailureCode
    details: FailureDetails
  }
  return new Failure(code, details)
}

/** How far a job is, and what it keeps of its way. */
export interface KeptProgress {
  done: number
  total: number
  notes?: unknown
}

export function keptProgress({ progress }: Job): KeptProgress {
  return typeof progress === 'object' ? (progress as KeptProgress) : { done: 0, total: 0 }
}

/** What a queue holds: of the state that was asked for, or of all, in this order: at work, to come, ended. */
export async function reportOf(queue: Queue, { state, offset, limit }: BoardPage): Promise<QueueReport> {
  const [{ waiting = 0, active = 0, delayed = 0, failed = 0, completed = 0 }, isPaused, schedulers] =
    await Promise.all([
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
      queue.isPaused(),
      queue.getJobSchedulers(),
    ])
  // What waits in a paused queue is where it would be otherwise.
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

/** One after the other: what a job was given and answers may be of some megabytes. */
async function jobsOf(queue: Queue, state: JobState, from: number, to: number): Promise<QueueReport['jobs']> {
  const found: QueueReport['jobs'] = []
  for (const id of await queue.getRanges([state === 'paused' ? 'waiting' : state], from, to - 1, false)) {
    const job = await queue.getJob(id)
    // It may be gone since.
    if (!job) continue
    const { done, total } = keptProgress(job)
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

/** One line, without what an address may hold of names, passwords and signatures. */
function shownReason(reason: string): string {
  const refusal = refusalIn(reason)
  if (refusal) {
    const details = Object.entries(refusal.details).map(([name, value]) => `${name}=${value}`)
    return [refusal.code, ...details].join(' ').slice(0, LONGEST_REASON)
  }
  const [line = ''] = reason.split('\n')
  return line
    .replace(/\b([a-z][\w+.-]*:\/\/)(?:[^\s/]*@)?([\w.:[\]-]*)[^\s'"]*/gi, '$1$2')
    .slice(0, LONGEST_REASON)
}
