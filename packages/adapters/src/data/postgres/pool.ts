import { Failure, sleep, storeUnavailable } from '@solstice/station'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import pg from 'pg'
import type { Servers } from '../servers.ts'

const CONNECT_TIMEOUT_MS = 3_000
const ROLE_TIMEOUT_MS = 2_000
/** Shorter than a change waits in all, so that what is left of an abandoned connection, and its locks, ends by itself. */
const LOCK_TIMEOUT_MS = 4_000
/** Long enough to prepare a change of many records between two statements. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 60_000
/** Code of the error of a server that accepts no writes. */
const READ_ONLY = '25006'

/** PostgreSQL failed for a reason that passes: it is away, overloaded or too slow. */
export class PostgresUnavailable extends Error {
  /** True when there was no connection at all, as opposed to one that could not do what was asked. */
  readonly isUnreachable: boolean
  constructor(cause: unknown, isUnreachable: boolean) {
    super(reasonOf(cause), { cause })
    this.name = 'PostgresUnavailable'
    this.isUnreachable = isUnreachable
  }
}

/** Sends one statement. @throws PostgresUnavailable, or pg's DatabaseError when the statement is refused. */
export type Run = <R>(query: RawBuilder<R>) => Promise<R[]>

/** A connection that is on loan for a limited time. */
export interface Session {
  run: Run
  /** Address of the server. */
  server: string
  /** Sets the time that is left, ms from now. */
  extend(ms: number): void
}

/** Compiles queries; never executes them. */
const sqlCompiler = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A pool for the store: its statements are limited in time, its commits durable. */
export function openStorePool(servers: Servers, max: number): pg.Pool {
  return openPool(servers, {
    max,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // A server may be configured to confirm commits before they are on disk.
    options: '-c synchronous_commit=on',
  })
}

/** A single connection for work that may take long, such as migrations. Destroy it after use. */
export function openKysely<Tables>(servers: Servers): Kysely<Tables> {
  const pool = openPool(servers, { max: 1 })
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** The message of an error only: its other fields may hold the address with the password. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The error of several failed addresses has no message of its own.
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
}

/** True when trying again may help. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  // Connection, refused access, rollback (deadlock), read-only, resources, operator, system.
  return /^(08|25|28|3D|40|53|55|57|58|XX)/.test(error.code ?? '')
}

/** Lends a connection for at most `limitMs`. One that did not answer in time is never used again. */
export async function withClient<R>(
  pool: pg.Pool,
  limitMs: number,
  work: (session: Session) => Promise<R>,
): Promise<R> {
  const client = await acquireClient(pool, limitMs)
  let broken: Error | null = null
  const giveUp = () => {
    broken = new Error('it did not answer in time')
    void client.end().catch(() => {})
  }
  let limit = setTimeout(giveUp, limitMs)
  const run: Run = async (query) => {
    if (broken) throw new PostgresUnavailable(broken, true)
    const { sql: text, parameters } = query.compile(sqlCompiler)
    try {
      return (await client.query(text, [...parameters])).rows
    } catch (error) {
      const isOfServer = error instanceof pg.DatabaseError
      // A primary that became a standby.
      const isReadOnly = isOfServer && error.code === READ_ONLY
      if (!isOfServer || isReadOnly) broken ??= error as Error
      if (!isTransient(error)) throw error
      throw new PostgresUnavailable(broken ?? error, !isOfServer || isUnreachable(error))
    }
  }
  const extend = (ms: number) => {
    clearTimeout(limit)
    limit = setTimeout(giveUp, ms)
  }
  try {
    return await work({ run, extend, server: serverOf(client) })
  } finally {
    clearTimeout(limit)
    client.release(broken ?? undefined)
  }
}

/** True when the server ends or refuses connections (08, 57P). One whose disk is full (53100) still answers queries. */
function isUnreachable({ code = '' }: pg.DatabaseError): boolean {
  return /^(08|28|3D|53(?!100)|57P)/.test(code)
}

function openPool(servers: Servers, config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    application_name: 'solstice',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    Client: clientFor(servers),
    ...(servers.areSeveral && { onConnect: (client: pg.ClientBase) => refuseStandby(client, servers) }),
  })
  // Broken connections are replaced; whoever was using one gets the error from the query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Connects to the server that is tried now; when there is no connection, another one is tried next. */
function clientFor(servers: Servers): typeof pg.Client {
  return class extends pg.Client {
    readonly server: string

    constructor(config?: pg.ClientConfig) {
      const server = servers.current
      super({ ...config, connectionString: server })
      this.server = server
      const leave = () => servers.leave(server)
      this.once('end', leave)
      this.once('connect', () => this.off('end', leave))
    }
  }
}

const serverOf = (client: pg.ClientBase) => (client as { server?: string }).server ?? ''

/** @throws when the server accepts no writes; another one is tried next */
async function refuseStandby(client: pg.ClientBase, servers: Servers): Promise<void> {
  const asked = { text: 'show transaction_read_only', query_timeout: ROLE_TIMEOUT_MS }
  const { rows } = await client.query<{ transaction_read_only: string }>(asked)
  if (rows[0]?.transaction_read_only !== 'on') return
  servers.leave(serverOf(client))
  throw new Error('it is a standby')
}

async function acquireClient(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  const decided = new AbortController()
  try {
    const connecting = pool.connect()
    const limit = sleep(limitMs, { signal: decided.signal }).then(
      () => null,
      () => null,
    )
    const client = await Promise.race([connecting, limit])
    if (client) return client
    connecting.then(
      (late) => late.release(),
      () => {},
    )
  } catch (error) {
    throw new PostgresUnavailable(error, true)
  } finally {
    decided.abort()
  }
  throw new PostgresUnavailable('no connection in time', true)
}

/** Without its cause: PostgreSQL's own words may hold addresses. A full disk is still named. */
export function failureOf(error: PostgresUnavailable): Failure {
  const { code, details } = storeUnavailable(error.cause)
  return new Failure(code, details)
}
