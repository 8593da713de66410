import { randomUUID } from 'node:crypto'
import type { CollectionSpec } from '@solstice/station'
import type { Change } from '../queued-collection.ts'
import type { Records } from '../records.ts'
import { PATIENCE_MS, type Postgres } from './connection.ts'
import { failureOf, PostgresUnavailable, type Session } from './pool.ts'
import { readRecords } from './read-changes.ts'
import type { Replica } from './replica.ts'
import {
  type CollectionCounters,
  type Commit,
  isCommitted,
  lockCollection,
  writeChanges,
} from './write-changes.ts'

/** Bounds the transaction; the rest follows in the next one. */
const MAX_BATCH_CHANGES = 2_000

/** An attempt to commit a batch of changes in one transaction. */
interface Attempt<T extends object> extends Commit<T> {
  settle: (() => void)[]
  /** True when it came as far as its commit, so that its fate may be unknown. */
  isWritten: boolean
}

/** Commits the changes that wait for a collection, in batches of one transaction each. */
export class BatchWriter<T extends object> {
  readonly #postgres: Postgres
  readonly #name: string
  readonly #spec: CollectionSpec
  readonly #replica: Replica<T>
  readonly #batches: Batches<T>

  constructor(
    postgres: Postgres,
    name: string,
    spec: CollectionSpec,
    replica: Replica<T>,
    waiting: Change<T>[],
  ) {
    this.#postgres = postgres
    this.#name = name
    this.#spec = spec
    this.#replica = replica
    this.#batches = new Batches(waiting)
  }

  /** Makes or refuses the changes of a batch. Never rejects. */
  async write(): Promise<void> {
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
    if (this.#spec.isLarge && !this.#replica.isLoaded && keys.length === batch.length)
      return readRecords<T>(this.#name, this.#spec, keys, session)
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

/** Takes changes from a queue in batches, one transaction each. After a refused batch its changes go one by one. */
class Batches<T extends object> {
  readonly #waiting: Change<T>[]
  /** How many of the next changes are made one by one. */
  #single = 0

  constructor(waiting: Change<T>[]) {
    this.#waiting = waiting
  }

  /** The changes for the next attempt, beginning with those of a failed one. */
  take(retried: readonly Change<T>[]): Change<T>[] {
    if (this.#single === 0) return [...retried, ...this.#waiting.splice(0, MAX_BATCH_CHANGES)]
    if (retried.length > 0) return [...retried]
    this.#single--
    return this.#waiting.splice(0, 1)
  }

  /** Puts a refused batch back: one of its changes is at fault, and must not take the others with it. */
  separate(batch: readonly Change<T>[]): void {
    this.#waiting.unshift(...batch)
    this.#single = batch.length
  }

  /** All changes that wait. */
  drain(): Change<T>[] {
    this.#single = 0
    return this.#waiting.splice(0)
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
