import type { Collection, CollectionSpec, Contents, NewRecord } from '@solstice/station'
import type { Draft } from './draft.ts'
import { assertFit, frozenCopy, type Key, keyOf } from './record.ts'

export interface Change<T extends object> {
  /** The key of the only record that it looks at; null when it may look at others. */
  key: Key | null
  /** Applies the change to a draft; the returned function tells the caller, once the draft is durable. */
  attempt(draft: Draft<T>): () => void
  refuse(error: unknown): void
}

/** A collection whose changes queue up and are written in batches of all that wait. */
export abstract class QueuedCollection<T extends object, K extends keyof T & string>
  implements Collection<T, K>
{
  protected readonly spec: CollectionSpec
  /** Changes in the order of their requests. */
  protected readonly waiting: Change<T>[] = []
  protected isClosed = false
  #writing: Promise<void> | null = null

  constructor(spec: CollectionSpec) {
    this.spec = spec
  }

  abstract get(key: T[K]): Promise<Readonly<T> | null>
  abstract find(where?: Partial<T>): Promise<readonly Readonly<T>[]>
  abstract contents(): Promise<Contents<T>>
  /** Makes or refuses waiting changes. Never rejects. */
  protected abstract writeWaiting(): Promise<void>

  insert(record: NewRecord<T, K>): Promise<Readonly<T> | null> {
    return this.#change((draft) => draft.insert(record), this.#onlyKey(record))
  }

  put(record: T): Promise<void> {
    return this.#change((draft) => draft.put(record), keyOf(record, this.spec))
  }

  update(where: Partial<T>, change: Partial<T>): Promise<number> {
    const key = this.spec.key in change ? null : this.#onlyKey(where)
    return this.#change((draft) => draft.update(where, change), key)
  }

  delete(where: Partial<T> | ((record: Readonly<T>) => boolean)): Promise<number> {
    return this.#change((draft) => draft.delete(where), this.#onlyKey(where))
  }

  async replaceAll({ records, serial }: Contents<T>): Promise<void> {
    assertFit(records, this.spec)
    // Many records take seconds, so they are copied before their turn.
    const kept = records.map(frozenCopy)
    await this.#change((draft) => draft.replaceAll(kept, serial))
  }

  /** Resolves when all requested changes are made or refused. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.#writing
  }

  /** Calls `writeWaiting` at least once, and again while changes wait. */
  protected write(): void {
    this.#writing ??= this.#writeAll()
  }

  #onlyKey(where: object): Key | null {
    return typeof where === 'function' ? null : (keyOf(where, this.spec) ?? null)
  }

  #change<R>(make: (draft: Draft<T>) => R, key: Key | null = null): Promise<R> {
    if (this.isClosed) return Promise.reject(new Error('the data store is closed'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, attempt: attemptOf(make, resolve, reject), refuse: reject })
      this.write()
    })
  }

  async #writeAll(): Promise<void> {
    // Changes requested in the same turn of the event loop are written together.
    await null
    do await this.writeWaiting()
    while (this.waiting.length > 0)
    this.#writing = null
  }
}

/** Tries a change, and keeps what came of it until its caller may be told. */
function attemptOf<T extends object, R>(
  make: (draft: Draft<T>) => R,
  resolve: (result: R) => void,
  reject: (error: unknown) => void,
): Change<T>['attempt'] {
  return (draft) => {
    try {
      const result = make(draft)
      return () => resolve(result)
    } catch (error) {
      return () => reject(error)
    }
  }
}
