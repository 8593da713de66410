import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import {
  diskFullAsFailure,
  Failure,
  HeldUp,
  isDiskFull,
  type JobData,
  type JobName,
  type JobQueue,
  type JobResult,
  sleep,
  storeUnavailable,
} from '@solstice/station'
import { DelayedError, type Job, type JobsOptions, Queue, UnrecoverableError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { answered, keepAnswering } from '../redis/connection.ts'
import { type KeptProgress, keptProgress, refusalIn, reportOf, writeRefusal } from './board.ts'

const PREFIX = 'solstice'
/**
 * Jobs of each queue that a process does at once. There are several, so that what takes long never delays a short change,
 * nor what comes every minute.
 */
const concurrency = {
  jobs: 4,
  background: 4,
  lyrics: 4,
  changes: 4,
  batches: 2,
  downloads: 2,
  listings: 2,
  donations: 1,
} as const
type QueueName = keyof typeof concurrency
/** Songs that were paid for wait for each other in all processes: the air takes one at a time. */
const ONE_AT_A_TIME: QueueName = 'donations'
const queueNames = Object.keys(concurrency) as QueueName[]
const isQueueName = (text: string): text is QueueName => Object.hasOwn(concurrency, text)

/**
 * Where a job belongs: nobody waits for `jobs`, `background` and `lyrics` (which may take hours) and `donations`, and
 * `downloads` and `listings` end with who does.
 */
const kindOf: Record<JobName, Exclude<QueueName, 'batches'>> = {
  'reconcile-media': 'jobs',
  'demo-library': 'background',
  'purge-expired': 'jobs',
  'purge-accounts': 'jobs',
  'queue-donation': 'donations',
  'poll-donations': 'jobs',
  'sweep-donations': 'jobs',
  'measure-loudness': 'background',
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

/** A change of more things than this is a batch. */
const LARGEST_CHANGE = 100

function queueFor(name: JobName, given: object): QueueName {
  const size = Math.max(0, ...Object.values(given).map((value) => (Array.isArray(value) ? value.length : 0)))
  return kindOf[name] === 'changes' && size > LARGEST_CHANGE ? 'batches' : kindOf[name]
}

/** A job whose process died is taken up again after at most the sum of these two. */
const LOCK_MS = 10_000
const STALLED_CHECK_MS = 5_000
/** Often enough that a lock which the wall clock has ended is back before anybody looks twice. */
const LOCK_AGAIN_MS = 1_000
/** Longer than the 10 s for which BullMQ may wait for a job on one connection. */
const SILENCE_MS = 15_000
/** A job that takes its process down each time is given up after so many. */
const MOST_STALLS = 5
/** How long Redis may take over one request. */
const REDIS_LIMIT_MS = 5_000
const ANSWER_LIMIT_MS = 5 * 60 * 1_000
/** Nobody waits longer for a worker to appear, or for Redis to come back. */
const ABSENCE_LIMIT_MS = 10_000
const WORKER_CHECK_MS = 2_000
/** An answer is asked for again after an eighth of the time that it has taken so far, within these. */
const FIRST_LOOK_MS = 20
const LOOK_AGAIN_MS = 500
const PROGRESS_MS = 1_000
/** Of jobs that are done only while somebody waits, at most so many wait for their turn. */
const MOST_WAITING = 10
const TRY_AGAIN_S = 30
/** Whoever waits says so again after a quarter of this time, and whoever does the job looks as often as said below. */
const WANTED_MS = 30_000
const WANTED_CHECK_MS = 250
const UNWANTED = 'nobody waits for it any more'
/** When another process may take up what one broke off that ends. */
const LEFT_FOR_MS = 1_000
/** A change that is held up is tried again after this time, then after twice as long each time, up to the longest. */
const HELD_UP_MS = 500
/** Shorter than leases are kept, so that nobody else changes the same in between. */
const LONGEST_HELD_UP_MS = 8_000
/** Nobody waits longer for a change that is held up to go on. */
const PATIENCE_MS = 10_000
/** Redis that was emptied has forgotten what comes again; it is looked at so often. */
const PLAN_CHECK_MS = 10_000
/** Less is no step of the wall clock. */
const SET_BACK_MS = 1_000

const retries: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnFail: { count: 100 },
}

/** By queue, since BullMQ clears all ended jobs of a queue by the rule of the one that ends. */
const options: Record<QueueName, JobsOptions> = {
  jobs: { ...retries, removeOnComplete: { count: 100 } },
  background: { ...retries, removeOnComplete: { count: 100 } },
  // What a batch found is read until a day after its end.
  lyrics: { ...retries, removeOnComplete: { age: 24 * 60 * 60, count: 500 } },
  changes: { ...retries, removeOnComplete: { count: 100 } },
  // What they are given, note and answer may be of the whole library: it is kept while somebody may wait for it.
  batches: {
    ...retries,
    removeOnComplete: { age: (2 * ANSWER_LIMIT_MS) / 1_000, count: 50 },
    removeOnFail: { age: 7 * 24 * 60 * 60, count: 20 },
  },
  donations: { ...retries, removeOnComplete: { count: 100 } },
  downloads: { ...retries, removeOnComplete: { count: 50 } },
  listings: { ...retries, removeOnComplete: { count: 50 } },
}

/** What a job works with beside what it is given. */
export interface JobContext {
  readonly jobId: string
  /** Asks to break off, which is said by throwing; the job is then done again by another process, or later. */
  readonly stopping: AbortSignal
  /** The notes that were saved last, when the job is done again; undefined when there are none. */
  readonly notes: unknown
  /**
   * Says how far the job is. Saved at most once a second, less often when notes are large, and at the end: a job that
   * is killed goes on from the last notes that were saved.
   */
  progress(done: number, total: number, notes?: unknown): Promise<void>
  /** Saves notes before it resolves: a process that takes over knows of what is begun after that. */
  keep(done: number, total: number, notes: unknown): Promise<void>
}

/**
 * What does each job. A `Failure` is the answer that the caller gets; `HeldUp` is tried again until it is done; anything
 * else is tried again, five times in all.
 */
export type Processors = {
  [N in JobName]: (
    given: JobData<N>,
    context: JobContext,
  ) => Promise<JobResult<N> extends undefined ? void : JobResult<N>>
}

/**
 * A job that comes again and again: after so many ms, or at the times of a cron pattern (minute, hour, day of the month, month,
 * day of the week) in a zone (IANA name).
 */
export type Recurrence = { name: JobName } & ({ everyMs: number } | { pattern: string; timeZone: string })

export interface JobWorker {
  /** Breaks off what runs and resolves when it has ended. */
  close(): Promise<void>
}

/** The job queues over Redis. What Redis does not take or tell within 5 s is refused with JOBS_UNAVAILABLE. */
export function openJobQueue(redisUrl: string, log: Logger): JobQueue {
  const redis = connect(redisUrl, log)
  const queues: Record<QueueName, Queue> = {
    jobs: openQueue('jobs', redis, log),
    background: openQueue('background', redis, log),
    lyrics: openQueue('lyrics', redis, log),
    changes: openQueue('changes', redis, log),
    batches: openQueue('batches', redis, log),
    donations: openQueue('donations', redis, log),
    downloads: openQueue('downloads', redis, log),
    listings: openQueue('listings', redis, log),
  }
  const closing = new AbortController()
  // Whoever waits for an answer listens to it.
  setMaxListeners(0, closing.signal)

  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answered(redis, answer, REDIS_LIMIT_MS)
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'the job queue does not answer')
      throw isDiskFull(error) ? storeUnavailable(error) : new Failure('JOBS_UNAVAILABLE')
    }
  }

  const add = (
    queue: QueueName,
    name: JobName,
    given: object,
    id?: string,
    again = false,
    jobId?: string,
  ) => {
    return ask(
      queues[queue].add(name, given, {
        ...options[queue],
        ...(id && { deduplication: { id, keepLastIfActive: again } }),
        // Ids count up by queue. What changes are told apart by has to be one of both queues, and what a batch found is
        // kept by its id.
        ...((queue === 'batches' || queue === 'lyrics') && { jobId: randomUUID() }),
        ...(jobId && { jobId }),
      }),
    )
  }

  /** The queue that has a job. The version before had all that takes long in one. */
  const queueOf = async (name: JobName, id: string): Promise<Queue> => {
    const its = queues[kindOf[name]]
    return (await ask(redis.exists(its.toKey(id)))) === 1 ? its : queues.background
  }

  /** @throws Failure JOBS_UNAVAILABLE when it takes too long, or nobody is there to do it. */
  const untilEnded = async (
    queue: Queue,
    job: Job,
    limitMs: number,
    leaving = closing.signal,
  ): Promise<'completed' | 'failed'> => {
    const begunMs = performance.now()
    const elapsedMs = () => performance.now() - begunMs
    let reachedMs = 0
    let mannedMs = 0
    let lookedMs = 0
    while (elapsedMs() < limitMs && elapsedMs() - Math.min(reachedMs, mannedMs) < ABSENCE_LIMIT_MS) {
      const pauseMs = Math.min(LOOK_AGAIN_MS, Math.max(FIRST_LOOK_MS, elapsedMs() / 8))
      await sleep(pauseMs, { signal: leaving }).catch(() => {
        if (!closing.signal.aborted) leaving.throwIfAborted()
        throw new Failure('JOBS_UNAVAILABLE')
      })
      const state = await ask(job.getState()).catch(() => null)
      if (state === 'completed' || state === 'failed') return state
      if (state === 'unknown') break
      if (state === 'delayed' && elapsedMs() > PATIENCE_MS && !(await hasFailed(queue, job))) break
      if (state !== null) reachedMs = elapsedMs()
      if (elapsedMs() - lookedMs > WORKER_CHECK_MS) {
        lookedMs = elapsedMs()
        // Where Redis does not list its clients, the limit alone counts.
        if ((await ask(queue.getWorkersCount()).catch(() => 1)) > 0) mannedMs = elapsedMs()
      }
    }
    throw new Failure('JOBS_UNAVAILABLE')
  }

  /** What is held up has not failed. */
  const hasFailed = async (queue: Queue, { id }: Job) =>
    (await ask(redis.hexists(queue.toKey(id!), 'failedReason'))) === 1

  /** Whoever waited has the answer of this job: what is left to know is how it went. */
  const forgetContents = async (queue: Queue, id: string) => {
    const ended = await queue.getJob(id)
    if (!ended) return
    const { done, total } = keptProgress(ended)
    const light = { data: '{}', progress: JSON.stringify({ done, total }), returnvalue: 'null' }
    await redis.hset(queue.toKey(id), light)
  }

  const answerOf = async (queue: Queue, id: string, end: 'completed' | 'failed') => {
    const ended = await ask(queue.getJob(id))
    if (!ended) throw new Failure('JOBS_UNAVAILABLE')
    // One that succeeded at last still has the reason why it failed before.
    if (end === 'failed') throw refusalIn(ended.failedReason) ?? new Failure('INTERNAL')
    return ended.returnvalue
  }

  return {
    async add(name, given, { id, requeueIfActive } = {}) {
      return (await add(queueFor(name, given), name, given, id, requeueIfActive)).id!
    },

    async perform(name, given, limitMs = ANSWER_LIMIT_MS) {
      const queue = queueFor(name, given)
      const job = await add(queue, name, given)
      const end = await untilEnded(queues[queue], job, limitMs)
      const answer = await answerOf(queues[queue], job.id!, end)
      if (queue === 'batches') await ask(forgetContents(queues[queue], job.id!)).catch(() => {})
      return answer
    },

    async performWhileConnected(name, given, leaving) {
      const queue = queues[queueFor(name, given)]
      const { waiting = 0, delayed = 0 } = await ask(queue.getJobCounts('waiting', 'delayed'))
      if (waiting + delayed >= MOST_WAITING)
        throw new Failure('RATE_LIMITED', { retryAfterSecs: TRY_AGAIN_S })
      const id = randomUUID()
      const want = () => redis.set(wantedKey(id), '', 'PX', WANTED_MS)
      await ask(want())
      const renewing = setInterval(() => void want().catch(() => {}), WANTED_MS / 4)
      let hasEnded = false
      try {
        leaving.throwIfAborted()
        const job = await add(queueFor(name, given), name, given, undefined, false, id)
        const either = AbortSignal.any([closing.signal, leaving])
        const end = await untilEnded(queue, job, Number.POSITIVE_INFINITY, either)
        hasEnded = true
        return await answerOf(queue, id, end)
      } finally {
        clearInterval(renewing)
        await ask(redis.del(wantedKey(id))).catch(() => {})
        // What did not begin yet leaves the queue; what runs cannot, and hears of it by the line above.
        if (!hasEnded) await ask(queue.remove(id)).catch(() => {})
      }
    },

    async progress(name, id) {
      const queue = await queueOf(name, id)
      const job = await ask(queue.getJob(id))
      if (job?.name !== name) return null
      const state = await ask(job.getState())
      if (state === 'unknown') return null
      const { done, total, notes } = keptProgress(job)
      if (state === 'completed') {
        // It may have ended after it was read.
        const ended = await ask(queue.getJob(id))
        return { state: 'done', done, total, notes: ended?.returnvalue }
      }
      return {
        state: state === 'failed' ? 'failed' : state === 'active' ? 'running' : 'waiting',
        done,
        total,
        notes,
      }
    },

    async board(page) {
      const { queue: name } = page
      if (name !== undefined && !isQueueName(name)) throw new Failure('NOT_FOUND')
      const shown = name === undefined ? queueNames : [name]
      return ask(Promise.all(shown.map((name) => reportOf(queues[name], page))))
    },

    async retry(name, id) {
      const job = isQueueName(name) ? await ask(queues[name].getJob(id)) : null
      if (!job) throw new Failure('NOT_FOUND')
      if (isOnDemand(job.name)) throw new Failure('BAD_REQUEST', { field: 'id', reason: 'job_awaited' })
      if ((await ask(job.getState())) !== 'failed')
        throw new Failure('BAD_REQUEST', { field: 'id', reason: 'job_not_failed' })
      await ask(job.retry('failed', { resetAttemptsMade: true }))
      return job.name
    },

    async close() {
      closing.abort()
      await Promise.all(Object.values(queues).map((queue) => queue.close()))
      redis.disconnect()
    },
  }
}

/**
 * Does the jobs of all queues, up to four of each at a time; any number of processes may, each job is done by one.
 * What fails is tried again, five times in all, after 1, 2, 4 and 8 s; what a dead process left is taken up within 15 s.
 */
export async function workJobs(
  redisUrl: string,
  processors: Processors,
  recurrences: Recurrence[],
  log: Logger,
): Promise<JobWorker> {
  await planRecurrences(redisUrl, recurrences, log)
  const redis = connect(redisUrl, log, { maxRetriesPerRequest: null })
  const stopping = new AbortController()
  const planned = openQueue(ONE_AT_A_TIME, redis, log)
  let isChecking = false
  let wallOffsetMs = Date.now() - performance.now()
  const planTimer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    try {
      const isSetBack = Date.now() - performance.now() < wallOffsetMs - SET_BACK_MS
      // It is what a plan ends with.
      const isForgotten = (await planned.getGlobalConcurrency()) === null
      if (isForgotten || isSetBack) await planRecurrences(redisUrl, recurrences, log)
      wallOffsetMs = Date.now() - performance.now()
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'jobs may not come again')
    } finally {
      isChecking = false
    }
  }, PLAN_CHECK_MS)
  const locks = keepLocks(redis)
  const perform = async (job: Job, token?: string) => {
    const unlock = locks.keep(job, token!)
    try {
      return await performLocked(job, token)
    } finally {
      unlock()
    }
  }
  const performLocked = async (job: Job, token?: string) => {
    const process = processors[job.name as JobName] as Processors[JobName] | undefined
    if (!process) throw new Error(`there is no job named ${job.name}`)
    const progress = progressOf(job)
    const wanted = isOnDemand(job.name) ? await watchWanted(redis, job.id!) : null
    const context = {
      jobId: job.id!,
      stopping: wanted ? AbortSignal.any([stopping.signal, wanted.signal]) : stopping.signal,
      notes: keptProgress(job).notes,
      progress: progress.note,
      keep: progress.keep,
    }
    try {
      context.stopping.throwIfAborted()
      return await process(job.data, context).finally(progress.save)
    } catch (thrown) {
      const error = diskFullAsFailure(thrown)
      if (wanted?.signal.aborted) throw new UnrecoverableError(UNWANTED)
      if (error instanceof Failure) throw refused(job, error)
      const isHeldUp = error instanceof HeldUp
      if (isHeldUp) log.warn({ job: job.name, err: error.cause }, 'change held up, retrying')
      else if (!stopping.signal.aborted) throw error
      // No failed attempt. Later, since a worker that is closing may still take what is there.
      const pauseMs = isHeldUp ? heldUpMs(job.attemptsStarted) : LEFT_FOR_MS
      await job.moveToDelayed(Date.now() + pauseMs, token)
      throw new DelayedError()
    } finally {
      wanted?.end()
    }
  }
  const workers = queueNames.map((queue) => {
    const worker = new Worker(queue, perform, {
      connection: redis,
      prefix: PREFIX,
      concurrency: concurrency[queue],
      lockDuration: LOCK_MS,
      skipLockRenewal: true,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MOST_STALLS,
    })
    worker.on('error', (error) => isOfConnection(error) || log.warn({ err: error }, 'job queue'))
    worker.on('active', (job) => log.debug({ job: job.name }, 'job begins'))
    worker.on('completed', (job) => {
      // What comes every few seconds, for ever, says itself when it found something to do.
      const isFrequent = recurrences.some((own) => own.name === job.repeatJobKey && 'everyMs' in own)
      log[isFrequent ? 'debug' : 'info']({ job: job.name, ms: spent(job) }, 'job done')
    })
    worker.on('failed', (job, error) => {
      const refusal = refusalIn(error.message)
      if (refusal) log.info({ job: job?.name, code: refusal.code, ...refusal.details }, 'job refused')
      else if (error.message === UNWANTED) log.info({ job: job?.name }, UNWANTED)
      else log.error({ job: job?.name, attempt: job?.attemptsMade, err: error }, 'job failed')
    })
    return worker
  })
  return {
    async close() {
      stopping.abort()
      clearInterval(planTimer)
      await Promise.all([...workers, planned].map((one) => one.close()))
      locks.close()
      redis.disconnect()
    },
  }
}

/** One that is gone is set again while nobody else has the job. */
const RENEW_LOCK = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if not holder and not redis.call('LPOS', KEYS[3], ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('SREM', KEYS[2], ARGV[2])
return 1`

/**
 * Renews the locks of jobs that run. BullMQ's own renewing goes by the wall clock: for as long as that was set back it does
 * nothing, and a lock that ended because it was set forward is given up.
 */
function keepLocks(redis: Redis) {
  const renewals = new Set<() => Promise<unknown>>()
  let isRenewing = false
  const timer = setInterval(async () => {
    if (isRenewing) return
    isRenewing = true
    // Where Redis is away a lock ends, as that of a dead process does.
    await Promise.allSettled([...renewals].map((renew) => renew()))
    isRenewing = false
  }, LOCK_AGAIN_MS)
  return {
    keep({ id, queueName }: Job, token: string) {
      const key = (name: string) => `${PREFIX}:${queueName}:${name}`
      const keys = [key(`${id}:lock`), key('stalled'), key('active')]
      const renew = () => redis.eval(RENEW_LOCK, keys.length, ...keys, token, id!, LOCK_MS)
      renewals.add(renew)
      return () => void renewals.delete(renew)
    },
    close: () => clearInterval(timer),
  }
}

function heldUpMs(attempts: number): number {
  return Math.min(LONGEST_HELD_UP_MS, HELD_UP_MS * 2 ** (attempts - 1))
}

/** A refusal on its way through Redis; it is final where somebody waits for it. */
function refused(job: Job, failure: Failure): Error {
  const reason = writeRefusal(failure)
  const isAwaited = !['jobs', 'background', 'lyrics', 'donations'].includes(kindOf[job.name as JobName])
  return isAwaited ? new UnrecoverableError(reason) : new Error(reason)
}

const wantedKey = (jobId: string) => `${PREFIX}:wanted:${jobId}`
const isOnDemand = (name: string) => ['downloads', 'listings'].includes(kindOf[name as JobName])

/** Aborts when nobody waits for a job any more. Redis that does not answer says nothing about that. */
async function watchWanted(redis: Redis, jobId: string) {
  const unwanted = new AbortController()
  const look = async () => {
    if ((await redis.exists(wantedKey(jobId))) === 0) unwanted.abort()
  }
  await look()
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }, WANTED_CHECK_MS)
  return { signal: unwanted.signal, end: () => clearInterval(timer) }
}

/** Notes may be of some MB, so they are written seldom. */
function progressOf(job: Job) {
  let latest: KeptProgress | null = null
  let dueMs = 0
  const save = async () => {
    if (latest === null) return
    const beganMs = performance.now()
    const saved = latest
    latest = null
    await job.updateProgress(saved)
    const endedMs = performance.now()
    dueMs = endedMs + Math.max(PROGRESS_MS, 20 * (endedMs - beganMs))
  }
  const note = async (done: number, total: number, notes?: unknown) => {
    latest = { done, total, notes }
    if (performance.now() >= dueMs) await save()
  }
  const keep = (done: number, total: number, notes: unknown) => {
    latest = { done, total, notes }
    return save()
  }
  return { note, keep, save }
}

/**
 * From now on these jobs come again, and no others. Every process says the same, so the last one may win. BullMQ counts by the
 * wall clock: what was planned, or put off, before that was set back would come as much later.
 */
async function planRecurrences(redisUrl: string, recurrences: Recurrence[], log: Logger): Promise<void> {
  const redis = connect(redisUrl, log)
  try {
    for (const queueName of queueNames) {
      const queue = openQueue(queueName, redis, log)
      const planned = recurrences.filter(({ name }) => kindOf[name] === queueName)
      for (const { key, next = 0 } of await queue.getJobSchedulers()) {
        const recurrence = planned.find(({ name }) => name === key)
        const latestMs = recurrence && 'everyMs' in recurrence ? Date.now() + recurrence.everyMs : 0
        if (next > latestMs) await queue.removeJobScheduler(key)
      }
      for (const job of await queue.getDelayed())
        if (!job.repeatJobKey && job.timestamp > Date.now() + SET_BACK_MS) await job.promote().catch(() => {})
      for (const recurrence of planned) {
        const { name } = recurrence
        const times =
          'everyMs' in recurrence
            ? { every: recurrence.everyMs }
            : { pattern: recurrence.pattern, tz: recurrence.timeZone }
        await queue.upsertJobScheduler(name, times, { name, data: {}, opts: options[queueName] })
      }
      await queue.close()
    }
    const last = openQueue(ONE_AT_A_TIME, redis, log)
    await last.setGlobalConcurrency(1)
    await last.close()
  } finally {
    redis.disconnect()
  }
}

function openQueue(name: QueueName, redis: Redis, log: Logger): Queue {
  // Nobody reads BullMQ's events, and they repeat progress and answers in full.
  const queue = new Queue(name, { connection: redis, prefix: PREFIX, streams: { events: { maxLen: 1 } } })
  queue.on('error', (error) => isOfConnection(error) || log.warn({ err: error }, 'job queue'))
  return queue
}

/** BullMQ blocks on a copy of this connection, which has to try for ever. */
function connect(redisUrl: string, log: Logger, overrides: { maxRetriesPerRequest?: null } = {}): Redis {
  const redis = new Redis(redisUrl, {
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    ...overrides,
  })
  watch(redis)
  let complained = false
  redis.on('error', (error) => {
    if (!complained) log.warn({ err: error.message }, 'the job queue has no Redis; trying again')
    complained = true
  })
  redis.on('ready', () => {
    complained = false
  })
  return redis
}

/** Makes a connection anew that is dead without having said so, and the copies that BullMQ makes of it as well. */
function watch(redis: Redis): void {
  keepAnswering(redis, SILENCE_MS)
  const duplicate = redis.duplicate.bind(redis)
  redis.duplicate = (overrides) => {
    const copy = duplicate(overrides)
    watch(copy)
    return copy
  }
}

/** BullMQ passes on what the connection has already said, at every attempt. */
function isOfConnection(error: Error): boolean {
  return 'syscall' in error || error.message.includes('Connection is closed')
}

function spent({ processedOn, finishedOn }: Job): number {
  return (finishedOn ?? 0) - (processedOn ?? 0)
}
