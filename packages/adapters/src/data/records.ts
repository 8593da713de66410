import type { CollectionSpec } from '@solstice/station'
import { ByPlace } from './by-place.ts'
import { Draft } from './draft.ts'
import { type Changes, type Counters, combinationOf, equals, type Key, keyOf } from './record.ts'

/**
 * The records of a collection in memory, in order of insertion. Each has a *place*, a number that rises with every
 * insertion and is never reused. Records are frozen, so they can be handed out.
 */
export class Records<T extends object> {
  readonly #spec: CollectionSpec
  readonly #byPlace = new ByPlace<T>()
  /** Places of keys that are not their own: a collection that the store numbers has hardly any. */
  readonly #places = new Map<Key, number>()
  readonly #taken = new Map<string, number>()
  #all: readonly T[] | null = null

  constructor(spec: CollectionSpec) {
    this.#spec = spec
  }

  get(key: Key): T | null {
    return this.#recordAt(this.#placeOf(key))
  }

  /** The records with these fields; without `where` all of them, as the same array until something changes. */
  find(where?: Partial<T>): readonly T[] {
    if (!where) return this.#whole()
    const record = this.#only(where)
    if (record === undefined) return this.#whole().filter(equals(where))
    return record && equals(where)(record) ? [record] : []
  }

  /** By place, in order. */
  entries(): [number, T][] {
    return [...this.#byPlace]
  }

  get size(): number {
    return this.#byPlace.size
  }

  /** Changes to be tried on top of these records, which stay as they are. */
  draft(last: Counters): Draft<T> {
    const places = { get: (key: Key) => this.#placeOf(key) }
    return new Draft(this.#spec, last, { byPlace: this.#byPlace, places, taken: this.#taken })
  }

  apply(changes: Changes<T>): void {
    if (changes.size === 0) return
    // Keys and combinations may pass from one record to another, so all are freed first.
    for (const place of changes.keys()) {
      const before = this.#byPlace.get(place)
      if (!before) continue
      this.#places.delete(keyOf(before, this.#spec))
      const combination = combinationOf(before, this.#spec)
      if (combination !== null) this.#taken.delete(combination)
    }
    this.#byPlace.delete(new Set([...changes.keys()].filter((place) => changes.get(place) === null)))
    for (const [place, record] of changes) {
      if (record === null) continue
      this.#byPlace.set(place, record)
      const key = keyOf(record, this.#spec)
      if (key !== place) this.#places.set(key, place)
      const combination = combinationOf(record, this.#spec)
      if (combination !== null) this.#taken.set(combination, place)
    }
    this.#all = null
  }

  /** The only record that can match, null when there is none; undefined when there may be several. */
  #only(where: Partial<T>): T | null | undefined {
    const { key } = this.#spec
    const wanted = where[key as keyof T] as Key | undefined
    if (wanted !== undefined) return this.get(wanted)
    const combination = combinationOf(where as T, this.#spec)
    return combination === null ? undefined : this.#recordAt(this.#taken.get(combination))
  }

  #placeOf(key: Key): number | undefined {
    const own = typeof key === 'number' ? this.#byPlace.get(key) : undefined
    return own && keyOf(own, this.#spec) === key ? Number(key) : this.#places.get(key)
  }

  #recordAt(place: number | undefined): T | null {
    return place === undefined ? null : (this.#byPlace.get(place) ?? null)
  }

  #whole(): readonly T[] {
    this.#all ??= Object.freeze(this.#byPlace.values())
    return this.#all
  }
}
