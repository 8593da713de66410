import type { CollectionSpec, Contents } from '@solstice/station'
import { QueuedCollection } from '../queued-collection.ts'
import type { Key } from '../record.ts'
import { Records } from '../records.ts'
import { shareNext } from '../share-next.ts'
import { BatchWriter } from './batch-writer.ts'
import { type Postgres, queryPatiently } from './connection.ts'
import { PostgresUnavailable, type Session } from './pool.ts'
import { readChanges, readRecords } from './read-changes.ts'
import { Replica } from './replica.ts'

/** A collection in a table of PostgreSQL, with a replica of it in memory. */
export class PostgresCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #postgres: Postgres
  readonly #name: string
  readonly #replica: Replica<T>
  readonly #writer: BatchWriter<T>
  readonly #refresh = shareNext(() => this.#readOn())

  constructor(postgres: Postgres, name: string, spec: CollectionSpec) {
    super(spec)
    this.#postgres = postgres
    this.#name = name
    this.#replica = new Replica(name, spec)
    this.#writer = new BatchWriter(postgres, name, spec, this.#replica, this.waiting)
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

  protected writeWaiting(): Promise<void> {
    return this.#writer.write()
  }
}
