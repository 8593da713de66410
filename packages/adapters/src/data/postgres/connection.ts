import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Servers } from '../servers.ts'
import { failureOf, openStorePool, PostgresUnavailable, type Session, withClient } from './pool.ts'
import { createRecovery } from './recovery.ts'

/** Readers are better served from memory than late. */
const QUERY_TIMEOUT_MS = 2_000
/** How long a change, or a first read, waits for a PostgreSQL that is away. */
export const PATIENCE_MS = 5_000

/**
 * Connections to a PostgreSQL. Nothing waits long for one that is away or slow: the first failure marks it, and until it
 * answers again queries are refused at once.
 */
export interface Postgres {
  /** One query, or several that belong together. @throws PostgresUnavailable after 2 s. */
  query<R>(work: (session: Session) => Promise<R>): Promise<R>
  /**
   * A transaction. When it throws PostgresUnavailable after `work` has ended, it may have been committed.
   *
   * @throws PostgresUnavailable
   */
  transaction<R>(limitMs: number, work: (session: Session) => Promise<R>): Promise<R>
  /** Waits until another attempt makes sense; false when that would be later than in `limitMs`. */
  waitForRetry(limitMs: number): Promise<boolean>
  close(): Promise<void>
}

const begin = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`
const nothing = sql`select`

/** @param prepared until it resolves there are no tables to use, as if PostgreSQL were away; null = they are there. */
export function connectPostgres(
  servers: Servers,
  poolMax: number,
  log: Logger,
  prepared: Promise<void> | null,
): Postgres {
  let isPrepared = prepared === null
  prepared?.then(
    () => {
      isPrepared = true
    },
    () => {},
  )
  // Queries are short, so they do not queue behind transactions that wait for locks.
  const queryPool = openStorePool(servers, Math.ceil(poolMax / 2))
  const transactionPool = openStorePool(servers, Math.max(1, Math.floor(poolMax / 2)))
  const recovery = createRecovery(
    () => withClient(queryPool, QUERY_TIMEOUT_MS, ({ run }) => run(nothing)),
    log,
    prepared,
  )

  return {
    async query(work) {
      if (recovery.isAway()) throw new PostgresUnavailable('it did not answer', true)
      const attempt = () => withClient(queryPool, QUERY_TIMEOUT_MS, work)
      const startedMs = performance.now()
      return attempt().catch((error) => {
        // An idle connection may have broken unnoticed.
        const isEarly = performance.now() - startedMs < QUERY_TIMEOUT_MS / 10
        return isEarly && error instanceof PostgresUnavailable
          ? attempt().catch(recovery.markAway)
          : recovery.markAway(error)
      })
    },
    async transaction(limitMs, work) {
      if (!isPrepared) throw new PostgresUnavailable('it has not answered yet', true)
      return withClient(transactionPool, limitMs, async (session) => {
        const { run } = session
        await run(begin)
        try {
          const result = await work(session)
          await run(commit)
          return result
        } catch (error) {
          await run(rollback).catch(() => {})
          throw error
        }
      }).catch(recovery.markAway)
    },
    waitForRetry: recovery.waitForRetry,
    async close() {
      recovery.stop()
      await Promise.all([queryPool.end(), transactionPool.end()])
    },
  }
}

/** A query that is retried while PostgreSQL is away. @throws Failure DATA_UNAVAILABLE */
export async function queryPatiently<R>(
  postgres: Postgres,
  work: (session: Session) => Promise<R>,
): Promise<R> {
  const untilMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await postgres.query(work)
    } catch (error) {
      if (!(error instanceof PostgresUnavailable)) throw error
      if (!(await postgres.waitForRetry(untilMs - performance.now()))) throw failureOf(error)
    }
  }
}
