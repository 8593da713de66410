import type { Redis } from 'ioredis'
import { PREFIX } from './connection.ts'

/** A caller that died is noticed after this time. */
const CALLER_TTL_MS = 30_000
const CHECK_EVERY_MS = 250

/** Failed reason of a job whose caller has left. */
export const ABANDONED = 'nobody waits for it any more'

const keyOf = (jobId: string) => `${PREFIX}:wanted:${jobId}`

/** The caller's side: a key that lives as long as somebody waits for the job. */
export function createCaller(redis: Redis, jobId: string) {
  const renew = () => redis.set(keyOf(jobId), '', 'PX', CALLER_TTL_MS)
  return {
    renew,
    /** @returns a function that stops renewing. */
    renewRegularly(): () => void {
      const timer = setInterval(() => void renew().catch(() => {}), CALLER_TTL_MS / 4)
      return () => clearInterval(timer)
    },
    leave: () => redis.del(keyOf(jobId)),
  }
}

/** The worker's side: aborts when the caller has left. While Redis does not answer, it counts as waiting. */
export async function watchCaller(redis: Redis, jobId: string): Promise<{ left: AbortSignal; end(): void }> {
  const left = new AbortController()
  const check = async () => {
    if ((await redis.exists(keyOf(jobId))) === 0) left.abort()
  }
  await check()
  let isChecking = false
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    check()
      .catch(() => {})
      .finally(() => {
        isChecking = false
      })
  }, CHECK_EVERY_MS)
  return { left: left.signal, end: () => clearInterval(timer) }
}
