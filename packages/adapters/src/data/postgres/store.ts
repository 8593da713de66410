import {
  type CollectionSpec,
  collections,
  type DataStore,
  isStoreUnavailable,
  sleep,
} from '@solstice/station'
import type { Logger } from 'pino'
import { createServers, type Servers } from '../servers.ts'
import { PostgresCollection } from './collection.ts'
import { connectPostgres } from './connection.ts'
import { migrate, UnsupportedDatabase } from './migrations.ts'
import { isTransient, openKysely, reasonOf } from './pool.ts'
import { endsWithin } from './recovery.ts'

/** Nearly every reply needs these, so they are in memory from the start, should PostgreSQL go away. */
const READ_AT_START = [
  'admins',
  'bans',
  'clips',
  'groups',
  'sessionCuts',
  'sessions',
  'settings',
  'tracks',
] as const
const FIRST_CONNECT_TIMEOUT_MS = 30_000
/** Time for a PostgreSQL that is there to answer, before a process begins without it. */
const PATIENT_CONNECT_TIMEOUT_MS = 3_000
const FIRST_CONNECT_INTERVAL_MS = 500

/**
 * The station's records in PostgreSQL: one table per collection, shared by processes on any number of hosts.
 *
 * Each process keeps what it read in memory and asks at every read for what has changed since, so a read shows all that
 * was committed before it began, in this process or another. While PostgreSQL does not answer, reads show what was read
 * last, and fail with DATA_UNAVAILABLE where nothing was read yet. A change is decided on committed records, while the
 * collection's row of counters is locked. It waits up to 5 s for a PostgreSQL that is away; then it is refused with
 * DATA_UNAVAILABLE, and has not been made unless the connection broke during its commit. Of several servers in the address the
 * one that accepts writes is used.
 *
 * @param atStart `required`: PostgreSQL has to answer; `awaited`: the store is opened without it after 3 s, and is away until it
 * answers. A database that cannot be used then ends the process.
 * @throws when there is no answer within 30 s where it is required, or the database cannot be used.
 */
export async function openPostgresData(
  url: string,
  poolMax: number,
  log: Logger,
  atStart: 'required' | 'awaited' = 'required',
): Promise<DataStore> {
  const servers = createServers(url)
  const closing = new AbortController()
  const timeoutMs = atStart === 'required' ? FIRST_CONNECT_TIMEOUT_MS : Number.POSITIVE_INFINITY
  const prepared = migrateWhenReachable(servers, log, timeoutMs, closing.signal)
  if (atStart === 'required') await prepared
  const isPrepared = await endsWithin(prepared, PATIENT_CONNECT_TIMEOUT_MS)
  const postgres = connectPostgres(servers, poolMax, log, isPrepared ? null : prepared)
  const opened = Object.entries<CollectionSpec>(collections).map(
    ([name, spec]) => [name, new PostgresCollection<never, never>(postgres, name, spec)] as const,
  )
  const byName = Object.fromEntries(opened) as unknown as Omit<DataStore, 'close'>
  const close = async () => {
    closing.abort()
    await Promise.all(opened.map(([, collection]) => collection.close()))
    await postgres.close()
  }
  const readFirst = () => Promise.all(READ_AT_START.map((name) => byName[name].find()))
  if (isPrepared) {
    await readFirst().catch(async (error) => {
      await close()
      throw error
    })
  } else {
    prepared.then(readFirst).catch((error) => {
      if (!closing.signal.aborted && !isStoreUnavailable(error)) throw error
    })
  }
  return { ...byName, close }
}

async function migrateWhenReachable(
  servers: Servers,
  log: Logger,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt++) {
    const db = openKysely<unknown>(servers)
    try {
      return await migrate(db)
    } catch (error) {
      const reason = reasonOf(error)
      if (error instanceof UnsupportedDatabase || !isTransient(error) || performance.now() > untilMs)
        throw new Error(`PostgreSQL cannot be used (DATABASE_URL): ${reason}`)
      if (attempt === 1) log.warn({ err: reason }, 'PostgreSQL unavailable (DATABASE_URL), retrying')
    } finally {
      await db.destroy().catch(() => {})
    }
    await sleep(FIRST_CONNECT_INTERVAL_MS * (1 + Math.random()), { signal })
  }
}
