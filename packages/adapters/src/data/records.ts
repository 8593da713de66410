import type { CollectionSpec } from '@solstice/station'

export type Key = string | number

/** What became of the record at each place, in order of the places that are new; null = it was removed. */
export type Changes<T> = ReadonlyMap<number, T | null>

/** The last numbers that a collection gave out. */
export interface Counters {
  place: number
  serial: number
}

/**
 * The records of a collection in memory, in order of insertion. Each has a *place*, a number that rises with every
 * insertion and is not used again. Records are frozen, so they can be handed out.
 */
export class Records<T extends object> {
  readonly #spec: CollectionSpec
  readonly #byPlace = new Map<number, T>()
  readonly #places = new Map<Key, number>()
  /** The places by unique combination. */
  readonly #taken = new Map<string, number>()
  #all: readonly T[] | null = null

  constructor(spec: CollectionSpec) {
    this.#spec = spec
  }

  get(key: Key): T | null {
    const place = this.#places.get(key)
    return place === undefined ? null : (this.#byPlace.get(place) ?? null)
  }

  /** The same array until something changes; without `where`, all records. */
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

  /** The only record that can be meant, null when there is none; undefined when there may be several. */
  #only(where: Partial<T>): T | null | undefined {
    const { key, unique } = this.#spec
    const wanted = where[key as keyof T] as Key | undefined
    if (wanted !== undefined) return this.get(wanted)
    if (!unique?.every((field) => where[field as keyof T] !== undefined)) return undefined
    const place = this.#taken.get(combinationOf(where as T, this.#spec))
    return place === undefined ? null : (this.#byPlace.get(place) ?? null)
  }

  #whole(): readonly T[] {
    this.#all ??= Object.freeze([...this.#byPlace.values()])
    return this.#all
  }

  /** Changes that are tried on these records, which stay as they are. */
  draft(last: Counters): Draft<T> {
    return new Draft(this.#spec, last, this.#byPlace, this.#places, this.#taken)
  }

  apply(changes: Changes<T>): void {
    if (changes.size === 0) return
    for (const place of changes.keys()) {
      const before = this.#byPlace.get(place)
      if (!before) continue
      this.#places.delete(keyOf(before, this.#spec))
      this.#taken.delete(combinationOf(before, this.#spec))
    }
    for (const [place, record] of changes) {
      if (record === null) {
        this.#byPlace.delete(place)
        continue
      }
      this.#byPlace.set(place, record)
      this.#places.set(keyOf(record, this.#spec), place)
      if (this.#spec.unique) this.#taken.set(combinationOf(record, this.#spec), place)
    }
    this.#all = null
  }
}

/** Changes in the making, with the rules that every collection has. A change that throws leaves the draft as it was. */
export class Draft<T extends object> {
  readonly last: Counters
  readonly #spec: CollectionSpec
  readonly #byPlace: Overlay<number, T>
  readonly #places: Overlay<Key, number>
  readonly #taken: Overlay<string, number>

  constructor(
    spec: CollectionSpec,
    last: Counters,
    byPlace: ReadonlyMap<number, T>,
    places: ReadonlyMap<Key, number>,
    taken: ReadonlyMap<string, number>,
  ) {
    this.#spec = spec
    this.last = { ...last }
    this.#byPlace = new Overlay(byPlace)
    this.#places = new Overlay(places)
    this.#taken = new Overlay(taken)
  }

  get changes(): Changes<T> {
    return this.#byPlace.changes
  }

  /** All there will be by place, in order of insertion. */
  get entries(): [number, T][] {
    return [...this.#byPlace.entries()]
  }

  /** Null when the key or the unique combination is taken. */
  insert(record: object): T | null {
    const { key, serial } = this.#spec
    const kept = frozenCopy((serial ? { [key]: this.last.serial + 1, ...record } : record) as T)
    if (this.#places.has(keyOf(kept, this.#spec)) || this.#holderOf(kept) !== undefined) return null
    this.#add(kept)
    return kept
  }

  /** @throws when another record has its unique combination. */
  put(record: T): void {
    const kept = frozenCopy(record)
    const place = this.#places.get(keyOf(kept, this.#spec))
    const holder = this.#holderOf(kept)
    if (holder !== undefined && holder !== place) this.#refuse(kept)
    if (place === undefined) this.#add(kept)
    else this.#set(place, kept)
  }

  /** @throws when a record would take the key or the unique combination of another. */
  update(where: Partial<T>, change: Partial<T>): number {
    const before = [...this.#matching(where)]
    const after = before.map(([place, record]) => ({ place, record: frozenCopy({ ...record, ...change }) }))
    this.#refuseClashes(after)
    for (const [i, [place, old]] of before.entries()) {
      const { record } = after[i]!
      if (keyOf(old, this.#spec) === keyOf(record, this.#spec)) this.#set(place, record)
      else {
        this.#remove(place, old)
        this.#add(record)
      }
    }
    return before.length
  }

  delete(where: Partial<T> | ((record: Readonly<T>) => boolean)): number {
    const found = [...this.#matching(where)]
    for (const [place, record] of found) this.#remove(place, record)
    return found.length
  }

  /** These records, which are frozen, and no others; they have to fit together (`refuseUnfit`). */
  replaceAll(records: readonly T[], serial: number): void {
    this.delete(() => true)
    // Of all keys, that of each is set by its own record.
    this.last.serial = this.#spec.serial ? serial : 0
    for (const record of records) this.#add(record)
  }

  *#matching(where: Partial<T> | ((record: Readonly<T>) => boolean)): Generator<[number, T]> {
    const matches = typeof where === 'function' ? where : equals(where)
    const key = typeof where === 'function' ? undefined : where[this.#spec.key as keyof T]
    if (key === undefined) {
      for (const entry of this.#byPlace.entries()) if (matches(entry[1])) yield entry
      return
    }
    const place = this.#places.get(key as Key)
    const record = place === undefined ? undefined : this.#byPlace.get(place)
    if (record && matches(record)) yield [place!, record]
  }

  #refuseClashes(after: { place: number; record: T }[]): void {
    const changing = new Set(after.map(({ place }) => place))
    const seen = new Set<string>()
    for (const { record } of after) {
      const key = keyOf(record, this.#spec)
      const holders = [this.#places.get(key), this.#holderOf(record)]
      const marks = [`key ${key}`, ...(this.#spec.unique ? [combinationOf(record, this.#spec)] : [])]
      const isTaken = holders.some((holder) => holder !== undefined && !changing.has(holder))
      if (isTaken || marks.some((mark) => seen.has(mark))) this.#refuse(record)
      for (const mark of marks) seen.add(mark)
    }
  }

  #refuse(record: T): never {
    throw new Error(`another record stands where ${keyOf(record, this.#spec)} would be`)
  }

  #holderOf(record: T): number | undefined {
    return this.#spec.unique ? this.#taken.get(combinationOf(record, this.#spec)) : undefined
  }

  #add(record: T): void {
    this.last.place++
    this.#set(this.last.place, record)
  }

  #set(place: number, record: T): void {
    const before = this.#byPlace.get(place)
    if (before) this.#free(before)
    this.#byPlace.set(place, record)
    const key = keyOf(record, this.#spec)
    this.#places.set(key, place)
    if (this.#spec.unique) this.#taken.set(combinationOf(record, this.#spec), place)
    if (this.#spec.serial) this.last.serial = Math.max(this.last.serial, Number(key))
  }

  #remove(place: number, record: T): void {
    this.#free(record)
    this.#byPlace.set(place, null)
  }

  #free(record: T): void {
    this.#places.set(keyOf(record, this.#spec), null)
    if (this.#spec.unique) this.#taken.set(combinationOf(record, this.#spec), null)
  }
}

/** @throws when a record has no key, or two have the same or a unique combination in common. */
export function refuseUnfit(records: readonly object[], spec: CollectionSpec): void {
  const seen = new Set<Key>()
  const taken = new Set<string>()
  for (const record of records) {
    const key = keyOf<object>(record, spec)
    if (spec.serial ? !Number.isSafeInteger(key) : typeof key !== 'string')
      throw new Error(`a record has no "${spec.key}"`)
    const combination = combinationOf<object>(record, spec)
    if (seen.has(key) || (spec.unique && taken.has(combination)))
      throw new Error(`another record stands where ${key} would be`)
    seen.add(key)
    taken.add(combination)
  }
}

/** A map with changes on top of another, which stays as it is. */
class Overlay<K, V> {
  readonly changes = new Map<K, V | null>()
  readonly #under: ReadonlyMap<K, V>

  constructor(under: ReadonlyMap<K, V>) {
    this.#under = under
  }

  has(key: K): boolean {
    return this.get(key) !== undefined
  }

  get(key: K): V | undefined {
    const change = this.changes.get(key)
    return change === undefined ? this.#under.get(key) : (change ?? undefined)
  }

  set(key: K, value: V | null): void {
    this.changes.set(key, value)
  }

  *entries(): Generator<[K, V]> {
    for (const entry of this.#under) {
      const change = this.changes.get(entry[0])
      if (change === undefined) yield entry
      else if (change !== null) yield [entry[0], change]
    }
    for (const [key, value] of this.changes) if (value !== null && !this.#under.has(key)) yield [key, value]
  }
}

export function equals<T extends object>(where: Partial<T>): (record: T) => boolean {
  const fields = Object.entries(where) as [keyof T, unknown][]
  return (record) => fields.every(([field, value]) => record[field] === value)
}

/** A copy, of what JSON keeps of it, that nobody else holds. */
export function frozenCopy<T extends object>(record: T): T {
  return deepFreeze(JSON.parse(JSON.stringify(record)) as T)
}

export function deepFreeze<V>(value: V): V {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

function keyOf<T extends object>(record: T, { key }: CollectionSpec): Key {
  return record[key as keyof T] as Key
}

function combinationOf<T extends object>(record: T, { unique }: CollectionSpec): string {
  return unique ? JSON.stringify(unique.map((field) => record[field as keyof T])) : ''
}
