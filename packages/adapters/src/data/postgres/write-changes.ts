import { sql } from 'kysely'
import type { Changes, Counters } from '../record.ts'
import { toJsonb } from './jsonb.ts'
import type { Session } from './pool.ts'

/** PostgreSQL takes arrays of 256 MB, and ends a transaction that is silent for long. */
const MAX_STATEMENT_CHARACTERS = 4 * 1024 * 1024
const STATEMENT_TIMEOUT_MS = 5_000
/** A PostgreSQL that takes less is too slow. */
const MIN_CHARACTERS_PER_MS = 1_000
/** Readers that missed more versions than this read the whole collection again. */
const KEPT_VERSIONS = 10_000
const SWEEP_EVERY_VERSIONS = 1_000

/** The last numbers that a collection gave out. */
export interface CollectionCounters extends Counters {
  version: number
}

/** Changes to commit. */
export interface Commit<T> {
  changes: Changes<T>
  last: Counters
  version: number
  /** Stored with the changes, so that their fate can be looked up after a broken connection. */
  token: string
}

/** Locks a collection's row of counters until the transaction ends: one writer at a time, across all processes. */
export async function lockCollection({ run }: Session, name: string): Promise<CollectionCounters> {
  const [row] = await run(sql<{ version: string; last_place: string; last_serial: string }>`
    select version, last_place, last_serial
    from collections where name = ${name} for update`)
  if (!row) throw new Error(`the database has no collection ${name}`)
  return { version: Number(row.version), place: Number(row.last_place), serial: Number(row.last_serial) }
}

/** True when an earlier transaction was committed. It has ended, or its lock would still be held. */
export async function isCommitted({ run }: Session, token: string): Promise<boolean> {
  const rows = await run(sql`select from commits where token = ${token}`)
  return rows.length > 0
}

/** Writes changes to a collection whose lock is held. */
export async function writeChanges<T extends object>(
  { run, extend }: Session,
  name: string,
  { changes, last, version, token }: Commit<T>,
): Promise<void> {
  const table = sql.table(name)
  for (const rows of statementsOf(changes)) {
    extend(STATEMENT_TIMEOUT_MS + rows.length / MIN_CHARACTERS_PER_MS)
    await run(sql`
      with written as (
        insert into ${table} (place, version, record)
        select (change ->> 0)::bigint, ${version}::bigint, nullif(change -> 1, 'null')
        from jsonb_array_elements(${rows}::jsonb) as change
        on conflict (place) do update set version = excluded.version, record = excluded.record
      ), noted as (insert into commits (token) values (${token}) on conflict do nothing)
      update collections set version = ${version}, last_place = ${last.place}, last_serial = ${last.serial}
      where name = ${name}`)
  }
  extend(STATEMENT_TIMEOUT_MS)
  if (version % SWEEP_EVERY_VERSIONS === 0) await sweep({ run }, name, version)
}

/** Forgets old commit tokens, and removals that all readers have long seen. */
async function sweep({ run }: Pick<Session, 'run'>, name: string, version: number): Promise<void> {
  await run(sql`delete from commits where at < now() - interval '1 hour'`)
  if (version <= KEPT_VERSIONS) return
  const upTo = version - KEPT_VERSIONS
  await run(sql`
    with swept as (delete from ${sql.table(name)} where record is null and version <= ${upTo})
    update collections set swept = ${upTo} where name = ${name}`)
}

/** Places and records as JSON arrays of limited length; one empty array when there are none. */
function* statementsOf<T extends object>(changes: Changes<T>): Generator<string> {
  // A removal may free the unique combination that another record takes, so removals come first.
  const rows = [...changes].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null))
  let texts: string[] = []
  let characters = 0
  for (const row of rows) {
    const text = toJsonb(row)
    if (texts.length > 0 && characters + text.length > MAX_STATEMENT_CHARACTERS) {
      yield `[${texts.join()}]`
      texts = []
      characters = 0
    }
    texts.push(text)
    characters += text.length
  }
  yield `[${texts.join()}]`
}
