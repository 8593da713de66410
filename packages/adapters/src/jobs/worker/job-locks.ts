import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { readScript } from '../../redis/script.ts'
import { PREFIX } from '../connection.ts'

/** With BullMQ's stalled check this bounds the time until the job of a dead process is taken over. */
export const LOCK_MS = 10_000
/** A lock that a jump of the wall clock has ended is back before two stalled checks have missed it. */
const RENEW_EVERY_MS = 1_000

const RENEW = readScript(new URL('./renew-job-lock.lua', import.meta.url))

/**
 * Renews the locks of running jobs. BullMQ's own renewal goes by the wall clock: it pauses for as long as that was set back,
 * and gives up a lock that expired because it was set forward.
 */
export function createJobLocks(redis: Redis) {
  const renewals = new Set<() => Promise<unknown>>()
  let isRenewing = false
  const timer = setInterval(async () => {
    if (isRenewing) return
    isRenewing = true
    // Without Redis a lock expires, as that of a dead process does.
    await Promise.allSettled([...renewals].map((renew) => renew()))
    isRenewing = false
  }, RENEW_EVERY_MS)
  return {
    /** @returns a function that stops renewing. */
    keep({ id, queueName }: Job, token: string): () => void {
      const key = (name: string) => `${PREFIX}:${queueName}:${name}`
      const keys = [key(`${id}:lock`), key('stalled'), key('active')]
      const renew = () => redis.eval(RENEW, keys.length, ...keys, token, id!, LOCK_MS)
      renewals.add(renew)
      return () => void renewals.delete(renew)
    },
    close: () => clearInterval(timer),
  }
}
