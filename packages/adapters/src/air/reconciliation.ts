import type { Redis } from 'ioredis'
import { PREFIX } from '../redis/connection.ts'
import { pause } from './wire.ts'

const KEY = `${PREFIX}reconciled`
const LOOK_EVERY_MS = 100

/** Library and disk agree: said by the job that sees to it, awaited by a worker that knows of nothing to play. */
export interface Reconciliation {
  mark(): Promise<void>
  /** Resolves when it was said, or after `limitMs`. */
  wait(limitMs: number): Promise<void>
}

export function openReconciliation(redis: Redis): Reconciliation {
  return {
    async mark() {
      await redis.set(KEY, '1')
    },
    async wait(limitMs) {
      const untilMs = performance.now() + limitMs
      while (performance.now() < untilMs && !(await redis.exists(KEY))) await pause(LOOK_EVERY_MS)
    },
  }
}
