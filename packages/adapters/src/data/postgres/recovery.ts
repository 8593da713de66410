import { sleep } from '@solstice/station'
import type { Logger } from 'pino'
import { PostgresUnavailable } from './pool.ts'

const PROBE_INTERVAL_MS = 200

/** Knows whether PostgreSQL is unreachable, and probes it until it answers again. */
export interface Recovery {
  isAway(): boolean
  /** Rethrows an error, after having noted what it tells of the server. */
  markAway(error: unknown): never
  /** Waits until another attempt makes sense; false when that would be later than in `limitMs`. */
  waitForRetry(limitMs: number): Promise<boolean>
  stop(): void
}

/**
 * @param probe a query without side effects. @throws PostgresUnavailable
 * @param prepared until it resolves PostgreSQL is taken to be away; null = it is there.
 */
export function createRecovery(
  probe: () => Promise<unknown>,
  log: Logger,
  prepared: Promise<void> | null,
): Recovery {
  const stopping = new AbortController()
  /** Settles as soon as PostgreSQL answers again; null while it does. */
  let recovered: Promise<void> | null =
    prepared?.then(() => {
      recovered = null
    }) ?? null
  recovered?.catch(() => {})

  const probeUntilRecovered = async (reason: string) => {
    log.warn(
      { err: reason },
      'PostgreSQL unavailable: reads are served from memory, changes wait and are then refused',
    )
    for (;;) {
      await sleep(PROBE_INTERVAL_MS * (1 + Math.random()), { signal: stopping.signal })
      try {
        await probe()
        break
      } catch (error) {
        if (!(error instanceof PostgresUnavailable)) throw error
      }
    }
    recovered = null
    log.info({ about: 'PostgreSQL' }, 'PostgreSQL available again')
  }

  return {
    isAway: () => recovered !== null,
    markAway(error) {
      if (error instanceof PostgresUnavailable && error.isUnreachable && !stopping.signal.aborted) {
        recovered ??= probeUntilRecovered(error.message)
        recovered.catch(() => {})
      }
      throw error
    },
    async waitForRetry(limitMs) {
      if (limitMs <= 0 || stopping.signal.aborted) return false
      if (recovered) return endsWithin(recovered, limitMs)
      const pauseMs = PROBE_INTERVAL_MS * (0.5 + Math.random())
      // An attempt without time to be answered would hide why the one before it was refused.
      if (limitMs < 2 * pauseMs) return false
      await sleep(pauseMs)
      return true
    },
    stop: () => stopping.abort(),
  }
}

/** True once it has resolved; false when it rejects, or not in time. */
export async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const isDone = work.then(
    () => true,
    () => false,
  )
  const decided = new AbortController()
  const limit = sleep(limitMs, { signal: decided.signal }).then(
    () => false,
    () => false,
  )
  return Promise.race([isDone, limit]).finally(() => decided.abort())
}
