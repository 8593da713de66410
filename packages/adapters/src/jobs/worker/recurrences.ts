import type { JobName } from '@solstice/station'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../../config/servers/addresses.ts'
import { connectQueues, openQueue } from '../connection.ts'
import { optionsOf, queueNames, queueOfJob, SERIAL_QUEUE } from '../queues.ts'

/**
 * A recurring job: every so many ms, or at the times of a cron pattern (minute, hour, day of the month, month, day of the
 * week) in a time zone (IANA name).
 */
export type Recurrence = { name: JobName } & ({ everyMs: number } | { pattern: string; timeZone: string })

/** Redis that was emptied has forgotten the plan. */
const CHECK_EVERY_MS = 10_000
/** A smaller difference is drift, not a step of the wall clock. */
const MIN_STEP_MS = 1_000

/**
 * Plans these recurring jobs, and no others. Every process plans the same, so the last one may win. BullMQ counts by the wall
 * clock: jobs that were planned or delayed before it was set back would come later by that time.
 */
export async function planRecurrences(
  address: RedisAddress,
  recurrences: Recurrence[],
  log: Logger,
): Promise<void> {
  const redis = connectQueues(address, log)
  try {
    for (const queueName of queueNames) {
      const queue = openQueue(queueName, redis, log)
      const planned = recurrences.filter(({ name }) => queueOfJob[name] === queueName)
      await dropLatePlans(queue, planned)
      for (const recurrence of planned) {
        const { name } = recurrence
        const times =
          'everyMs' in recurrence
            ? { every: recurrence.everyMs }
            : { pattern: recurrence.pattern, tz: recurrence.timeZone }
        await queue.upsertJobScheduler(name, times, { name, data: {}, opts: optionsOf(queueName) })
      }
      await queue.close()
    }
    // Set last: when it is missing, Redis was emptied.
    const serial = openQueue(SERIAL_QUEUE, redis, log)
    await serial.setGlobalConcurrency(1)
    await serial.close()
  } finally {
    redis.disconnect()
  }
}

/** Removes schedulers that are unknown or come too late, and promotes jobs delayed from a time that is now in the future. */
async function dropLatePlans(queue: Queue, planned: Recurrence[]): Promise<void> {
  for (const { key, next = 0 } of await queue.getJobSchedulers()) {
    const recurrence = planned.find(({ name }) => name === key)
    const latestMs = recurrence && 'everyMs' in recurrence ? Date.now() + recurrence.everyMs : 0
    if (next > latestMs) await queue.removeJobScheduler(key)
  }
  for (const job of await queue.getDelayed())
    if (!job.repeatJobKey && job.timestamp > Date.now() + MIN_STEP_MS) await job.promote().catch(() => {})
}

/** Plans again whenever Redis was emptied or the wall clock set back. */
export function keepPlanned(redis: Redis, address: RedisAddress, recurrences: Recurrence[], log: Logger) {
  const serial = openQueue(SERIAL_QUEUE, redis, log)
  let isClosed = false
  let isChecking = false
  let wallOffsetMs = Date.now() - performance.now()
  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    try {
      const isSetBack = Date.now() - performance.now() < wallOffsetMs - MIN_STEP_MS
      const isForgotten = (await serial.getGlobalConcurrency()) === null
      if (isForgotten || isSetBack) await planRecurrences(address, recurrences, log)
      wallOffsetMs = Date.now() - performance.now()
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'recurring jobs could not be planned again')
    } finally {
      isChecking = false
    }
  }, CHECK_EVERY_MS)
  return {
    close() {
      isClosed = true
      clearInterval(timer)
      return serial.close()
    },
  }
}
