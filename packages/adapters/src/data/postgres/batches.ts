import type { Change } from '../queued-collection.ts'

/** Bounds the transaction; the rest follows in the next one. */
const MAX_BATCH_CHANGES = 2_000

/** Takes changes from a queue in batches, one transaction each. After a refused batch its changes go one by one. */
export class Batches<T extends object> {
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
