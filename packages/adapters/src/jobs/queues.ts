import type { JobName } from '@solstice/station'
import type { JobsOptions } from 'bullmq'

/** How the jobs of one queue are run and remembered. */
interface QueueSpec {
  /** Jobs that one process runs at once. */
  concurrency: number
  /** Ended jobs that stay. A rule of the queue: BullMQ clears all its ended jobs by the rule of the one that ends. */
  retention: Required<Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'>>
  /** A caller waits for the result, so a refusal is final; other jobs are tried again. */
  awaited: boolean
  /** Jobs that run only while their caller is connected. */
  onDemand: boolean
}

/** After this time a caller gives up on the result of a job, ms. */
export const RESULT_TIMEOUT_MS = 5 * 60 * 1_000

const DAY_S = 24 * 60 * 60
const last = (count: number): QueueSpec['retention'] => ({
  removeOnComplete: { count },
  removeOnFail: { count: 100 },
})

/** Several queues, so that long jobs never delay a short change or what comes every minute. */
export const queues = {
  jobs: { concurrency: 4, retention: last(100), awaited: false, onDemand: false },
  background: { concurrency: 4, retention: last(100), awaited: false, onDemand: false },
  lyrics: {
    concurrency: 4,
    // The results of a batch can be read for a day after its end.
    retention: { removeOnComplete: { age: DAY_S, count: 500 }, removeOnFail: { count: 100 } },
    awaited: false,
    onDemand: false,
  },
  changes: { concurrency: 4, retention: last(100), awaited: true, onDemand: false },
  batches: {
    concurrency: 2,
    // Data, notes and result may be as large as the library, so they stay only while a caller may wait for them.
    retention: {
      removeOnComplete: { age: (2 * RESULT_TIMEOUT_MS) / 1_000, count: 50 },
      removeOnFail: { age: 7 * DAY_S, count: 20 },
    },
    awaited: true,
    onDemand: false,
  },
  downloads: { concurrency: 2, retention: last(50), awaited: true, onDemand: true },
  listings: { concurrency: 2, retention: last(50), awaited: true, onDemand: true },
  // A push service that hangs holds up nothing else.
  notifications: { concurrency: 10, retention: last(100), awaited: false, onDemand: false },
  // As above, for as many webhooks as a station may have.
  webhooks: { concurrency: 12, retention: last(100), awaited: false, onDemand: false },
  donations: { concurrency: 1, retention: last(100), awaited: false, onDemand: false },
} as const satisfies Record<string, QueueSpec>

export type QueueName = keyof typeof queues
export const queueNames = Object.keys(queues) as QueueName[]
export const isQueueName = (text: string): text is QueueName => Object.hasOwn(queues, text)

/** The queue whose jobs run one at a time over all processes: the air takes one paid track at a time. */
export const SERIAL_QUEUE: QueueName = 'donations'

/** The queue of each job; a large change goes to `batches` instead of `changes`. */
export const queueOfJob: Record<JobName, Exclude<QueueName, 'batches'>> = {
  'reconcile-media': 'jobs',
  'demo-library': 'background',
  'purge-expired': 'jobs',
  'purge-accounts': 'jobs',
  'queue-donation': 'donations',
  'poll-donations': 'jobs',
  'sweep-donations': 'jobs',
  'sweep-notifications': 'jobs',
  'send-notification': 'notifications',
  'sweep-events': 'webhooks',
  'send-mail': 'notifications',
  'deliver-webhooks': 'webhooks',
  'measure-loudness': 'background',
  'measure-track': 'background',
  'read-pictures': 'background',
  'prefetch-lyrics': 'background',
  'lyrics-batch': 'lyrics',
  'edit-track': 'changes',
  'delete-tracks': 'changes',
  'move-tracks': 'changes',
  'delete-clips': 'changes',
  'move-clips': 'changes',
  'import-video': 'downloads',
  'list-videos': 'listings',
}

/** A change of more items than this is a batch. */
const MAX_CHANGE_SIZE = 100

/** The queue for a job with this data. */
export function queueFor(name: JobName, data: object): QueueName {
  const size = Math.max(0, ...Object.values(data).map((value) => (Array.isArray(value) ? value.length : 0)))
  return queueOfJob[name] === 'changes' && size > MAX_CHANGE_SIZE ? 'batches' : queueOfJob[name]
}

const specOf = (job: string): QueueSpec | undefined => queues[queueOfJob[job as JobName]]
export const isAwaited = (job: string): boolean => specOf(job)?.awaited ?? true
export const isOnDemand = (job: string): boolean => specOf(job)?.onDemand ?? false

/** BullMQ's options for a job of this queue. */
export function optionsOf(queue: QueueName): JobsOptions {
  return { attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, ...queues[queue].retention }
}
