import { sleep } from '@solstice/station'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'

const CONNECT_LIMIT_MS = 3_000
/** What a question may take before it is answered without PostgreSQL. */
const QUESTION_LIMIT_MS = 2_000
/** What is left of a connection that we gave up ends by itself, and with it its locks. */
const LOCK_LIMIT_MS = 4_000
/** For as long as somebody may be busy with many records while he holds a lock. */
const IDLE_LIMIT_MS = 10_000
const STATEMENT_LIMIT_MS = 60_000
const PROBE_EVERY_MS = 200

/** PostgreSQL did not do what was asked, for a reason that passes: it is away, overloaded or too slow. */
export class PostgresUnavailable extends Error {
  /** Whether it could not be talked to at all. */
  readonly isGone: boolean
  constructor(cause: unknown, isGone: boolean) {
    super(reasonOf(cause), { cause })
    this.name = 'PostgresUnavailable'
    this.isGone = isGone
  }
}

/** Asks one thing of PostgreSQL. @throws PostgresUnavailable, or pg's DatabaseError when what was asked is refused. */
export type Run = <R>(query: RawBuilder<R>) => Promise<R[]>

/** A connection on loan, for a limited time. */
export interface Session {
  run: Run
  /** Limits what is still to come to so many ms from now. */
  extend(ms: number): void
}

/**
 * Connections to a PostgreSQL. Nothing waits long for one that is away or slow: whoever did makes it known, and until it
 * answers again questions are refused at once.
 */
export interface Postgres {
  /** One question, or several that belong together. @throws PostgresUnavailable after 2 s. */
  ask<R>(question: (session: Session) => Promise<R>): Promise<R>
  /** A transaction. When it throws PostgresUnavailable after `work` has ended, it may have been committed. @throws PostgresUnavailable */
  transact<R>(limitMs: number, work: (session: Session) => Promise<R>): Promise<R>
  /** Waits until another attempt makes sense; false when that would be later than in `limitMs`. */
  retryWithin(limitMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Only writes SQL down. */
const writer = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const begin = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`
const nothing = sql`select`

export function connectPostgres(url: string, poolMax: number, log: Logger): Postgres {
  const open = (max: number) =>
    openPool({
      ...settings(url),
      max,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      lock_timeout: LOCK_LIMIT_MS,
      statement_timeout: STATEMENT_LIMIT_MS,
      idle_in_transaction_session_timeout: IDLE_LIMIT_MS,
      // What is said to be durable is so, whatever the server's default.
      options: '-c synchronous_commit=on',
    })
  // Questions are short; they do not stand behind transactions that wait for their turn.
  const forQuestions = open(Math.ceil(poolMax / 2))
  const forTransactions = open(Math.max(1, Math.floor(poolMax / 2)))

  /** Settles as soon as PostgreSQL answers again; null while it does. */
  let comingBack: Promise<void> | null = null
  const closing = new AbortController()

  const probe = async (why: string) => {
    log.warn(
      { err: why },
      'PostgreSQL cannot be used: reads go on from memory, changes wait and are then refused',
    )
    for (;;) {
      await sleep(PROBE_EVERY_MS * (1 + Math.random()), { signal: closing.signal })
      try {
        await lent(forQuestions, QUESTION_LIMIT_MS, ({ run }) => run(nothing))
        break
      } catch (error) {
        if (!(error instanceof PostgresUnavailable)) throw error
      }
    }
    comingBack = null
    log.info({ about: 'PostgreSQL' }, 'PostgreSQL can be used again')
  }
  const notice = (error: unknown): never => {
    if (error instanceof PostgresUnavailable && error.isGone && !closing.signal.aborted) {
      comingBack ??= probe(error.message)
      comingBack.catch(() => {})
    }
    throw error
  }

  return {
    async ask(question) {
      if (comingBack) throw new PostgresUnavailable('it did not answer', true)
      const attempt = () => lent(forQuestions, QUESTION_LIMIT_MS, question)
      const startedMs = performance.now()
      return attempt().catch((error) => {
        // An idle connection may have broken unnoticed.
        const isEarly = performance.now() - startedMs < QUESTION_LIMIT_MS / 10
        return isEarly && error instanceof PostgresUnavailable ? attempt().catch(notice) : notice(error)
      })
    },
    transact(limitMs, work) {
      return lent(forTransactions, limitMs, async (session) => {
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
      }).catch(notice)
    },
    async retryWithin(limitMs) {
      if (limitMs <= 0 || closing.signal.aborted) return false
      if (!comingBack) {
        const pauseMs = PROBE_EVERY_MS * (0.5 + Math.random())
        // An attempt without time to be answered would hide why the one before it was refused.
        if (limitMs < 2 * pauseMs) return false
        await sleep(pauseMs)
        return true
      }
      const isBack = comingBack.then(
        () => true,
        () => false,
      )
      const given = new AbortController()
      const limit = sleep(limitMs, { signal: given.signal }).then(
        () => false,
        () => false,
      )
      return Promise.race([isBack, limit]).finally(() => given.abort())
    },
    async close() {
      closing.abort()
      await Promise.all([forQuestions.end(), forTransactions.end()])
    },
  }
}

/** A connection for what may take long, such as migrations. Destroy it after use. */
export function openKysely<Tables>(url: string): Kysely<Tables> {
  const pool = openPool({ ...settings(url), max: 1 })
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** Only the message: other parts of an error may hold the address with its password. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Of an attempt at each of several addresses there is only a list.
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
}

/** Whether trying again may help. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  // Connection, refused access, rollback (deadlock), read-only, resources, operator, system.
  return /^(08|25|28|3D|40|53|55|57|58|XX)/.test(error.code ?? '')
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, connectionTimeoutMillis: CONNECT_LIMIT_MS })
  // A connection that breaks is replaced; who was using it is told by the query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function settings(url: string): pg.PoolConfig {
  return { connectionString: url, application_name: 'solstice' }
}

/** Lends a connection for at most `limitMs`. One that did not answer in time is never used again. */
async function lent<R>(pool: pg.Pool, limitMs: number, work: (session: Session) => Promise<R>): Promise<R> {
  const client = await borrow(pool, limitMs)
  let broken: Error | null = null
  const giveUp = () => {
    broken = new Error('it did not answer in time')
    void client.end().catch(() => {})
  }
  let limit = setTimeout(giveUp, limitMs)
  const run: Run = async (query) => {
    if (broken) throw new PostgresUnavailable(broken, true)
    const { sql: text, parameters } = query.compile(writer)
    try {
      return (await client.query(text, [...parameters])).rows
    } catch (error) {
      const isOfServer = error instanceof pg.DatabaseError
      if (!isOfServer) broken ??= error as Error
      // 08, 57P: the server says goodbye. One whose disk is full (53100) answers questions.
      const isGone = !isOfServer || /^(08|28|3D|53(?!100)|57P)/.test(error.code ?? '')
      throw isTransient(error) ? new PostgresUnavailable(broken ?? error, isGone) : error
    }
  }
  const extend = (ms: number) => {
    clearTimeout(limit)
    limit = setTimeout(giveUp, ms)
  }
  try {
    return await work({ run, extend })
  } finally {
    clearTimeout(limit)
    client.release(broken ?? undefined)
  }
}

async function borrow(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  const given = new AbortController()
  try {
    const lending = pool.connect()
    const limit = sleep(limitMs, { signal: given.signal }).then(
      () => null,
      () => null,
    )
    const client = await Promise.race([lending, limit])
    if (client) return client
    lending.then(
      (late) => late.release(),
      () => {},
    )
  } catch (error) {
    throw new PostgresUnavailable(error, true)
  } finally {
    given.abort()
  }
  throw new PostgresUnavailable('no connection in time', true)
}
