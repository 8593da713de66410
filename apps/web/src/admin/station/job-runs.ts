import type { JobState, QueueReport } from '@solstice/contracts'

type Job = QueueReport['jobs'][number]

/** Completed jobs of one name, the latest first. */
export interface Runs {
  name: string
  jobs: readonly Job[]
}

export interface QueueView {
  /** Jobs that are shown each for itself. */
  jobs: readonly Job[]
  /** Jobs that have recurred without a fault, by name. */
  runs: readonly Runs[]
}

/** Queues of what people ask for; whatever the others do, the station does by itself, again and again. */
const asked: ReadonlySet<string> = new Set(['changes', 'batches', 'lyrics', 'downloads', 'listings'])

/**
 * The jobs of a queue, so that those that matter are not lost among those that recur: what the station has done by itself
 * is one line per name. Whatever failed, runs, waits or was asked for stands for itself.
 *
 * @param state the only one that was asked for; all when it is undefined.
 */
export function viewOf({ name, jobs, recurrences }: QueueReport, state?: JobState): QueueView {
  if (asked.has(name)) return { jobs, runs: [] }
  const completed = new Map<string, Job[]>()
  const others: Job[] = []
  for (const job of jobs) {
    const isNextRun = isPlanned(job) && recurrences.some((recurrence) => recurrence.name === job.name)
    if (job.state === 'completed') completed.set(job.name, [...(completed.get(job.name) ?? []), job])
    else if (state || !isNextRun) others.push(job)
  }
  return { jobs: others, runs: Array.from(completed, ([name, jobs]) => ({ name, jobs })) }
}

/** How many jobs failed, run and wait; the next run of what recurs waits for its time only, and counts as none. */
export function countsOf({
  counts,
  recurrences,
}: QueueReport): [failed: number, active: number, waiting: number] {
  const delayed = Math.max(0, counts.delayed - recurrences.length)
  return [counts.failed, counts.active, counts.waiting + delayed]
}

/** Queues with failed jobs first, then those that people asked for, then the others. */
export function inOrder(queues: readonly QueueReport[]): QueueReport[] {
  const rank = ({ name, counts }: QueueReport) => (counts.failed > 0 ? 0 : asked.has(name) ? 1 : 2)
  return [...queues].sort((a, b) => rank(a) - rank(b))
}

/** True for the next run of what recurs, not for one that is tried again: both are delayed. */
const isPlanned = ({ state, attempts }: Job) => state === 'delayed' && attempts === 0
