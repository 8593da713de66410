import { randomUUID } from 'node:crypto'
import {
  type CollectionSpec,
  type Contents,
  collections,
  type DataStore,
  Failure,
  sleep,
  storeUnavailable,
} from '@solstice/station'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Change, QueuedCollection } from '../queued-collection.ts'
import { type Changes, type Counters, deepFreeze, type Key, Records } from '../records.ts'
import {
  connectPostgres,
  isTransient,
  openKysely,
  type Postgres,
  PostgresUnavailable,
  reasonOf,
  type Session,
} from './connection.ts'
import { migrate, UnsupportedDatabase } from './migrations.ts'

/** What nearly every reply rests on is in memory from the beginning, should PostgreSQL go away. */
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
const FIRST_CONNECT_LIMIT_MS = 30_000
const FIRST_CONNECT_EVERY_MS = 500
/** For how long a change waits for a PostgreSQL that is away. */
const PATIENCE_MS = 5_000
const PAGE_ROWS = 2_000
const PAGE_LIMIT_MS = 2_000
/** So many changes that wait together are made together. */
const BATCH_CHANGES = 2_000
/** Of the text that one statement brings. PostgreSQL takes arrays of 256 MB, and ends a transaction that is silent for long. */
const STATEMENT_CHARACTERS = 4 * 1024 * 1024
/** A PostgreSQL that takes less is too slow. */
const CHARACTERS_PER_MS = 1_000
/** Removals are forgotten when so many versions have passed, which is looked after every so many. */
const KEPT_VERSIONS = 10_000
const SWEEP_EVERY = 1_000

/**
 * The station's memory in PostgreSQL: one table per collection, shared by processes of any number of hosts.
 *
 * Each process keeps what it read in memory and asks at every read for what has changed since, so a read shows all that
 * was committed before it began, in this process or another. While PostgreSQL does not answer, reads show what was read
 * last, and fail with DATA_UNAVAILABLE where nothing was read yet. A change is decided on what is committed, while the
 * collection's row of counters is held. It waits up to 5 s for a PostgreSQL that is away; then it is refused with
 * DATA_UNAVAILABLE, and has not been made unless the connection broke while it was committed.
 *
 * @throws when there is no answer within 30 s, or the database cannot be used.
 */
export async function openPostgresData(url: string, poolMax: number, log: Logger): Promise<DataStore> {
  await migrateWhenReachable(url, log)
  const postgres = connectPostgres(url, poolMax, log)
  const opened = Object.entries<CollectionSpec>(collections).map(
    ([name, spec]) => [name, new PostgresCollection<never, never>(postgres, name, spec)] as const,
  )
  const byName = Object.fromEntries(opened) as unknown as Omit<DataStore, 'close'>
  const close = async () => {
    await Promise.all(opened.map(([, collection]) => collection.close()))
    await postgres.close()
  }
  try {
    await Promise.all(READ_AT_START.map((name) => byName[name].find()))
  } catch (error) {
    await close()
    throw error
  }
  return { ...byName, close }
}

async function migrateWhenReachable(url: string, log: Logger): Promise<void> {
  const untilMs = performance.now() + FIRST_CONNECT_LIMIT_MS
  for (let attempt = 1; ; attempt++) {
    const db = openKysely<unknown>(url)
    try {
      return await migrate(db)
    } catch (error) {
      const why = reasonOf(error)
      if (error instanceof UnsupportedDatabase || !isTransient(error) || performance.now() > untilMs)
        throw new Error(`PostgreSQL cannot be used (DATABASE_URL): ${why}`)
      if (attempt === 1) log.warn({ err: why }, 'PostgreSQL cannot be used (DATABASE_URL); trying again')
    } finally {
      await db.destroy().catch(() => {})
    }
    await sleep(FIRST_CONNECT_EVERY_MS * (1 + Math.random()))
  }
}

/** A collection's row of counters; numbers come as text. */
interface CountersRow {
  version: string
  last_place: string
  last_serial: string
}
interface ChangedRow {
  version: string
  swept: string
  last_serial: string
  /** null = nothing has changed. */
  place: string | null
  changed: string
  record: string | null
}

/** What became of a collection since a version, up to another. */
interface News<T> {
  changes: Changes<T>
  version: number
  serial: number
  /** It is all there is, and not only what changed. */
  isWhole: boolean
}

/** Changes that are made together, in one transaction. */
interface Trial<T extends object> {
  batch: Change<T>[]
  settle: (() => void)[]
  changes: Changes<T>
  last: Counters
  version: number
  /** Committed with it, so that is known later what became of it. */
  token: string
  isComplete: boolean
}

class PostgresCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #postgres: Postgres
  readonly #name: string
  #records: Records<T>
  /** Of the records in memory; null = nothing was read yet. */
  #version: number | null = null
  #asking: Promise<void> = Promise.resolve()
  #askingNext: Promise<void> | null = null
  /** So many of those that wait are made one by one, because together they were refused. */
  #alone = 0

  constructor(postgres: Postgres, name: string, spec: CollectionSpec) {
    super(spec)
    this.#postgres = postgres
    this.#name = name
    this.#records = new Records(spec)
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    await this.#fresh()
    return this.#records.get(key as Key)
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    await this.#fresh()
    return this.#records.find(where)
  }

  async contents(): Promise<Contents<T>> {
    const { changes, serial } = await this.#patiently((session) => this.#changesSince(null, session))
    const records = new Records<T>(this.spec)
    records.apply(changes)
    return { records: records.find(), serial }
  }

  /** Readers share a question that begins after they asked. */
  async #fresh(): Promise<void> {
    if (this.isClosed) return
    this.#askingNext ??= this.#asking.then(() => {
      const asked = this.#ask()
      this.#asking = asked.catch(() => {})
      this.#askingNext = null
      return asked
    })
    return this.#askingNext
  }

  async #ask(): Promise<void> {
    try {
      if (this.#version === null) await this.#patiently((session) => this.#catchUp(session))
      else await this.#postgres.ask((session) => this.#catchUp(session))
    } catch (error) {
      if (!(error instanceof PostgresUnavailable)) throw error
    }
  }

  /** For what is not in memory. */
  async #patiently<R>(question: (session: Session) => Promise<R>): Promise<R> {
    const untilMs = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        return await this.#postgres.ask(question)
      } catch (error) {
        if (!(error instanceof PostgresUnavailable)) throw error
        if (!(await this.#postgres.retryWithin(untilMs - performance.now()))) throw refusalBy(error)
      }
    }
  }

  async #catchUp(session: Session): Promise<void> {
    const begun = this.#version
    const { changes, version, isWhole } = await this.#changesSince(begun, session)
    // A change of our own, or another reader, may have been quicker.
    if (this.#version !== begun && this.#version !== null && this.#version >= version) return
    if (isWhole) this.#records = new Records(this.spec)
    this.#adopt(changes, version)
  }

  /** Reads page by page, each a moment of its own; what changes meanwhile comes with a later page. */
  async #changesSince(known: number | null, { run, extend }: Session): Promise<News<T>> {
    let base = known
    let isWhole = known === null
    let after = { version: known ?? 0, place: Number.MAX_SAFE_INTEGER }
    const changes = new Map<number, T | null>()
    for (;;) {
      // All there is comes in large pages.
      extend(isWhole ? PATIENCE_MS : PAGE_LIMIT_MS)
      const page = await run(this.#changesAfter(after.version, after.place))
      const last = page.at(-1)
      if (!last) throw new Error(`the database has no collection ${this.#name}`)
      const [version, swept] = [Number(last.version), Number(last.swept)]
      // Removals that we would have to know of are forgotten, or this is an older database: all is read again.
      if (base !== null && (swept > base || version < base)) {
        base = null
        isWhole = true
        after = { version: 0, place: Number.MAX_SAFE_INTEGER }
        changes.clear()
        continue
      }
      for (const { place, record } of page)
        if (place !== null) changes.set(Number(place), record === null ? null : fromJsonb<T>(record))
      if (page.length < PAGE_ROWS) {
        const inOrder = new Map([...changes].sort(([a], [b]) => a - b))
        return { changes: inOrder, version, serial: Number(last.last_serial), isWhole }
      }
      base ??= version
      after = { version: Number(last.changed), place: Number(last.place) }
    }
  }

  #changesAfter(version: number, place: number) {
    return sql<ChangedRow>`
      select c.version, c.swept, c.last_serial, r.place, r.version as changed, r.record
      from collections c left join lateral (
        select place, version, record::text from ${sql.table(this.#name)}
        where (version, place) > (${version}, ${place}) order by version, place limit ${sql.lit(PAGE_ROWS)}
      ) r on true
      where c.name = ${this.#name} order by r.version, r.place`
  }

  #adopt(changes: Changes<T>, version: number): void {
    this.#records.apply(changes)
    this.#version = version
  }

  /** Makes the changes that wait, as one transaction. */
  protected async writeWaiting(): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS
    const leftMs = () => untilMs - performance.now()
    // The last attempt, as far as it came.
    let trial = null as Trial<T> | null
    for (;;) {
      try {
        await this.#postgres.transact(leftMs(), async (session) => {
          const counters = await this.#lock(session)
          if (trial?.isComplete && (await isCommitted(session, trial.token))) return
          await this.#catchUp(session)
          trial = this.#try(this.#take(trial), counters)
          if (trial.version > Number(counters.version)) await this.#write(session, trial)
          trial.isComplete = true
        })
        break
      } catch (error) {
        if (error instanceof PostgresUnavailable && (await this.#postgres.retryWithin(leftMs()))) continue
        return this.#refuse(trial?.batch ?? [], error)
      }
    }
    if (!trial) return
    // Readers may have seen it already, together with later changes.
    if (this.#version !== null && this.#version < trial.version) this.#adopt(trial.changes, trial.version)
    for (const tell of trial.settle) tell()
  }

  /** Waits for its turn among those who write to this collection, in whatever process. */
  async #lock({ run }: Session): Promise<CountersRow> {
    const [row] = await run(sql<CountersRow>`
      select version, last_place, last_serial
      from collections where name = ${this.#name} for update`)
    if (!row) throw new Error(`the database has no collection ${this.#name}`)
    return row
  }

  #take(before: Trial<T> | null): Change<T>[] {
    const kept = before?.batch ?? []
    if (this.#alone === 0) return [...kept, ...this.waiting.splice(0, BATCH_CHANGES)]
    if (kept.length > 0) return kept
    this.#alone--
    return this.waiting.splice(0, 1)
  }

  #try(batch: Change<T>[], { version, last_place, last_serial }: CountersRow): Trial<T> {
    const draft = this.#records.draft({ place: Number(last_place), serial: Number(last_serial) })
    const settle = batch.map((change) => change.attempt(draft))
    const { changes, last } = draft
    const isChange = changes.size > 0 || last.serial !== Number(last_serial)
    return {
      batch,
      settle,
      changes,
      last,
      token: randomUUID(),
      version: Number(version) + (isChange ? 1 : 0),
      isComplete: false,
    }
  }

  async #write({ run, extend }: Session, { changes, version, last, token }: Trial<T>): Promise<void> {
    const table = sql.table(this.#name)
    for (const rows of inStatements(changes)) {
      extend(PATIENCE_MS + rows.length / CHARACTERS_PER_MS)
      await run(sql`
        with written as (
          insert into ${table} (place, version, record)
          select (change ->> 0)::bigint, ${version}::bigint, nullif(change -> 1, 'null')
          from jsonb_array_elements(${rows}::jsonb) as change
          on conflict (place) do update set version = excluded.version, record = excluded.record
        ), noted as (insert into commits (token) values (${token}) on conflict do nothing)
        update collections set version = ${version}, last_place = ${last.place}, last_serial = ${last.serial}
        where name = ${this.#name}`)
    }
    extend(PATIENCE_MS)
    if (version % SWEEP_EVERY !== 0) return
    await run(sql`delete from commits where at < now() - interval '1 hour'`)
    if (version <= KEPT_VERSIONS) return
    const upTo = version - KEPT_VERSIONS
    await run(sql`
      with swept as (delete from ${table} where record is null and version <= ${upTo})
      update collections set swept = ${upTo} where name = ${this.#name}`)
  }

  #refuse(batch: Change<T>[], error: unknown): void {
    if (!(error instanceof PostgresUnavailable) && batch.length > 1) {
      // One of them is at fault.
      this.waiting.unshift(...batch)
      this.#alone = batch.length
      return
    }
    const isAway = error instanceof PostgresUnavailable
    const refused = batch.length > 0 && !isAway ? batch : [...batch, ...this.waiting.splice(0)]
    if (isAway) this.#alone = 0
    for (const change of refused) change.refuse(isAway ? refusalBy(error) : error)
  }
}

/** Whether a transaction of before was committed; it is over, because it gave its lock free. */
async function isCommitted({ run }: Session, token: string): Promise<boolean> {
  const rows = await run(sql`select from commits where token = ${token}`)
  return rows.length > 0
}

/** Only whether its disk is full is told: what else PostgreSQL says may hold addresses. */
function refusalBy(error: PostgresUnavailable): Failure {
  const { code, details } = storeUnavailable(error.cause)
  return new Failure(code, details)
}

/** Places and records as jsonb, in one text or, of many, in several; one text also of none. */
function* inStatements<T extends object>(changes: Changes<T>): Generator<string> {
  // What gives a unique combination free comes before what takes it.
  const rows = [...changes].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null))
  let texts: string[] = []
  let characters = 0
  for (const row of rows) {
    const text = toJsonb(row)
    if (texts.length > 0 && characters + text.length > STATEMENT_CHARACTERS) {
      yield `[${texts.join()}]`
      texts = []
      characters = 0
    }
    texts.push(text)
    characters += text.length
  }
  yield `[${texts.join()}]`
}

/** jsonb takes neither NUL nor halves of surrogate pairs: their codes are written behind U+001A, as is its own. */
function toJsonb(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(0000|001a|d[89a-f]..)|.)/g, (written, code) =>
    code ? `\\u001a${code}` : written,
  )
}

function fromJsonb<T extends object>(text: string): T {
  const json = text.includes('\\u001a')
    ? text.replace(/\\(?:u001a(....)|.)/g, (written, code) => (code ? `\\u${code}` : written))
    : text
  return deepFreeze(JSON.parse(json) as T)
}

/**
 * How many records each collection of a database has, without making or changing anything there; null when it has nothing
 * of a station.
 *
 * @throws when it does not answer.
 */
export async function countPostgresRecords(url: string): Promise<Record<string, number> | null> {
  const db = openKysely<unknown>(url)
  try {
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${sql.val(['collections', ...Object.keys(collections)])}::text[]) as name
      where to_regclass(quote_ident(name)) is not null`.execute(db)
    if (!rows.some(({ name }) => name === 'collections')) return null
    const counts: Record<string, number> = {}
    for (const { name } of rows.filter((row) => row.name !== 'collections')) {
      const counted = await sql<{ count: string }>`
        select count(*) as count from ${sql.table(name)} where record is not null`.execute(db)
      counts[name] = Number(counted.rows[0]?.count)
    }
    return counts
  } catch (error) {
    throw new Error(`PostgreSQL cannot be used: ${reasonOf(error)}`)
  } finally {
    await db.destroy().catch(() => {})
  }
}
