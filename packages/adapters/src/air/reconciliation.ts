import { sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from '../redis/connection.ts'

const KEY = `${PREFIX}reconciled`
const LOOK_EVERY_MS = 100

/** The mark that library and disk agree, set by the reconciling job and awaited by a worker without saved state. */
export interface Reconciliation {
  mark(): Promise<void>
  /** Resolves when it was marked, or after `limitMs`. */
  wait(limitMs: number): Promise<void>
}

export function openReconciliation(redis: Redis): Reconciliation {
  return {
    async mark() {
      await redis.set(KEY, '1')
    },
    async wait(limitMs) {
      const untilMs = performance.now() + limitMs
      while (performance.now() < untilMs && !(await redis.exists(KEY))) await sleep(LOOK_EVERY_MS)
    },
  }
}
