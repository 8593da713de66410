import { randomUUID } from 'node:crypto'
import { type CollectionSpec, type Contents, Failure, storeUnavailable } from '@solstice/station'
import { type Change, QueuedCollection } from '../queued-collection.ts'
import type { Key } from '../record.ts'
import { Records } from '../records.ts'
import { shareNext } from '../share-next.ts'
import { Batches } from './batches.ts'
import type { Postgres } from './connection.ts'
import { PostgresUnavailable, type Session } from './pool.ts'
import { readChanges, readRecords } from './read-changes.ts'
import { Replica } from './replica.ts'
import {
  type CollectionCounters,
  type Commit,
  isCommitted,
  lockCollection,
  writeChanges,
} from './write-changes.ts'

/** How long a change, or a first read, waits for a PostgreSQL that is away. */
const PATIENCE_MS = 5_000

/** An attempt to commit a batch of changes in one transaction. */
interface Attempt<T extends object> extends Commit<T> {
  settle: (() => void)[]
  /** True when it came as far as its commit, so that its fate may be unknown. */
  isWritten: boolean
}

/** A collection in a table of PostgreSQL, with a replica of it in memory. */
export class PostgresCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #postgres: Postgres
  readonly #name: string
  readonly #replica: Replica<T>
  readonly #batches = new Batches(this.waiting)
  readonly #refresh = shareNext(() => this.#readOn())

  constructor(postgres: Postgres, name: string, spec: CollectionSpec) {
    super(spec)
    this.#postgres = postgres
    this.#name = name
    this.#replica = new Replica(name, spec)
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    if (this.spec.isLarge && !this.#replica.isLoaded && !this.isClosed)
      return queryPatiently(this.#postgres, async (session) =>
        (await readRecords<T>(this.#name, this.spec, [key as Key], session)).get(key as Key),
      )
    if (!this.isClosed) await this.#refresh()
    return this.#replica.records.get(key as Key)
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    if (!this.isClosed) await this.#refresh()
    return this.#replica.records.find(where)
  }

  async contents(): Promise<Contents<T>> {
    const { changes, serial } = await queryPatiently(this.#postgres, (session) =>
      readChanges<T>(this.#name, null, session),
    )
    const records = new Records<T>(this.spec)
    records.apply(changes)
    return { records: records.find(), serial }
  }

  /** While PostgreSQL is away, the replica stays as it is. */
  async #readOn(): Promise<void> {
    const catchUp = (session: Session) => this.#replica.catchUp(session)
    if (!this.#replica.isLoaded) return queryPatiently(this.#postgres, catchUp)
    await this.#postgres.query(catchUp).catch((error) => {
      if (!(error instanceof PostgresUnavailable)) throw error
    })
  }

  protected async writeWaiting(): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS
    const leftMs = () => untilMs - performance.now()
    let attempt = null as Attempt<T> | null
    // Kept apart from the attempt: to read the records for it may fail.
    let batch: Change<T>[] = []
    for (;;) {
      try {
        await this.#postgres.transaction(leftMs(), async (session) => {
          const counters = await lockCollection(session, this.#name)
          if (attempt?.isWritten && (await isCommitted(session, attempt.token))) return
          batch = this.#batches.take(batch)
          attempt = tryBatch(await this.#committed(batch, session), batch, counters)
          if (attempt.version > counters.version) await writeChanges(session, this.#name, attempt)
          attempt.isWritten = true
        })
        break
      } catch (error) {
        const isAway = error instanceof PostgresUnavailable
        if (isAway && (await this.#postgres.waitForRetry(leftMs()))) continue
        return this.#refuse(batch, error)
      }
    }
    if (!attempt) return
    this.#replica.adoptCommitted(attempt.changes, attempt.version)
    for (const settle of attempt.settle) settle()
  }

  /** The records that changes are decided on: of a large collection that nobody has read, only those that they name. */
  async #committed(batch: readonly Change<T>[], session: Session): Promise<Records<T>> {
    const keys = batch.map(({ key }) => key).filter((key) => key !== null)
    if (this.spec.isLarge && !this.#replica.isLoaded && keys.length === batch.length)
      return readRecords<T>(this.#name, this.spec, keys, session)
    await this.#replica.catchUp(session)
    return this.#replica.records
  }

  #refuse(batch: Change<T>[], error: unknown): void {
    const isAway = error instanceof PostgresUnavailable
    if (!isAway && batch.length > 1) {
      this.#batches.separate(batch)
      return
    }
    const refused = batch.length > 0 && !isAway ? batch : [...batch, ...this.#batches.drain()]
    for (const change of refused) change.refuse(isAway ? failureOf(error) : error)
  }
}

/** Applies changes to a draft of the records; nothing is written yet. */
function tryBatch<T extends object>(
  records: Records<T>,
  batch: Change<T>[],
  { version, ...counters }: CollectionCounters,
): Attempt<T> {
  const draft = records.draft(counters)
  const settle = batch.map((change) => change.attempt(draft))
  const { changes, last } = draft
  const isChange = changes.size > 0 || last.serial !== counters.serial
  const token = randomUUID()
  return { settle, changes, last, token, version: version + (isChange ? 1 : 0), isWritten: false }
}

/** A query that is retried while PostgreSQL is away. @throws Failure DATA_UNAVAILABLE */
async function queryPatiently<R>(postgres: Postgres, work: (session: Session) => Promise<R>): Promise<R> {
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

/** Without its cause: PostgreSQL's own words may hold addresses. A full disk is still named. */
function failureOf(error: PostgresUnavailable): Failure {
  const { code, details } = storeUnavailable(error.cause)
  return new Failure(code, details)
}
