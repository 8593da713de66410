import type { CollectionSpec } from '@solstice/station'
import type { ByPlace } from './by-place.ts'
import { type Changes, combinationOf, type Key, keyOf } from './record.ts'

/** The maps of a collection. */
export interface RecordMaps<T extends object> {
  byPlace: Pick<ByPlace<T>, 'get' | 'has'> & Iterable<[number, T]>
  /** Places by key. */
  places: Pick<ReadonlyMap<Key, number>, 'get'>
  /** Places by unique combination. */
  taken: Pick<ReadonlyMap<string, number>, 'get'>
}

/** The maps of a collection with changes on top of them; the maps below stay as they are. */
export class DraftIndex<T extends object> {
  readonly #spec: CollectionSpec
  readonly #records: RecordMaps<T>['byPlace']
  readonly #byPlace: Overlay<number, T>
  readonly #places: Overlay<Key, number>
  readonly #taken: Overlay<string, number>

  constructor(spec: CollectionSpec, { byPlace, places, taken }: RecordMaps<T>) {
    this.#spec = spec
    this.#records = byPlace
    this.#byPlace = new Overlay(byPlace)
    this.#places = new Overlay(places)
    this.#taken = new Overlay(taken)
  }

  get changes(): Changes<T> {
    return this.#byPlace.changes
  }

  *entries(): Generator<[number, T]> {
    const { changes } = this.#byPlace
    for (const entry of this.#records) {
      const change = changes.get(entry[0])
      if (change === undefined) yield entry
      else if (change !== null) yield [entry[0], change]
    }
    for (const [place, record] of changes)
      if (record !== null && !this.#records.has(place)) yield [place, record]
  }

  recordAt(place: number): T | undefined {
    return this.#byPlace.get(place)
  }

  placeOf(key: Key): number | undefined {
    return this.#places.get(key)
  }

  /** The place of the record that has the unique combination of this one. */
  holderOf(record: T): number | undefined {
    const combination = combinationOf(record, this.#spec)
    return combination === null ? undefined : this.#taken.get(combination)
  }

  set(place: number, record: T): void {
    const before = this.#byPlace.get(place)
    if (before) this.#free(before)
    this.#byPlace.set(place, record)
    this.#places.set(keyOf(record, this.#spec), place)
    this.#setTaken(record, place)
  }

  remove(place: number, record: T): void {
    this.#free(record)
    this.#byPlace.set(place, null)
  }

  #free(record: T): void {
    this.#places.set(keyOf(record, this.#spec), null)
    this.#setTaken(record, null)
  }

  #setTaken(record: T, place: number | null): void {
    const combination = combinationOf(record, this.#spec)
    if (combination !== null) this.#taken.set(combination, place)
  }
}

/** A map with changes on top of another, which stays as it is. */
class Overlay<K, V> {
  readonly changes = new Map<K, V | null>()
  readonly #under: Pick<ReadonlyMap<K, V>, 'get'>

  constructor(under: Pick<ReadonlyMap<K, V>, 'get'>) {
    this.#under = under
  }

  get(key: K): V | undefined {
    const change = this.changes.get(key)
    return change === undefined ? this.#under.get(key) : (change ?? undefined)
  }

  set(key: K, value: V | null): void {
    this.changes.set(key, value)
  }
}
