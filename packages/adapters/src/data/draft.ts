import type { CollectionSpec } from '@solstice/station'
import { DraftIndex, type RecordMaps } from './draft-index.ts'
import { type Changes, type Counters, combinationOf, equals, frozenCopy, type Key, keyOf } from './record.ts'

type Where<T> = Partial<T> | ((record: Readonly<T>) => boolean)

/** Changes in the making, by the rules that all collections share. A change that throws leaves the draft as it was. */
export class Draft<T extends object> {
  readonly last: Counters
  readonly #spec: CollectionSpec
  readonly #index: DraftIndex<T>

  constructor(spec: CollectionSpec, last: Counters, records: RecordMaps<T>) {
    this.#spec = spec
    this.last = { ...last }
    this.#index = new DraftIndex(spec, records)
  }

  get changes(): Changes<T> {
    return this.#index.changes
  }

  /** All records by place once the draft is made, in order of insertion. */
  get entries(): [number, T][] {
    return [...this.#index.entries()]
  }

  /** Null when the key or the unique combination is taken. */
  insert(record: object): T | null {
    const { key, serial } = this.#spec
    const kept = frozenCopy((serial ? { [key]: this.last.serial + 1, ...record } : record) as T)
    const isTaken = this.#index.placeOf(keyOf(kept, this.#spec)) !== undefined
    if (isTaken || this.#index.holderOf(kept) !== undefined) return null
    this.#add(kept)
    return kept
  }

  /** @throws when another record has its unique combination. */
  put(record: T): void {
    const kept = frozenCopy(record)
    const place = this.#index.placeOf(keyOf(kept, this.#spec))
    const holder = this.#index.holderOf(kept)
    if (holder !== undefined && holder !== place) throw clash(kept, this.#spec)
    if (place === undefined) this.#add(kept)
    else this.#set(place, kept)
  }

  /** @throws when a record would take the key or the unique combination of another. */
  update(where: Partial<T>, change: Partial<T>): number {
    const before = [...matching(this.#index, where, this.#spec)]
    const after = before.map(([place, record]) => ({ place, record: frozenCopy({ ...record, ...change }) }))
    assertNoClash(this.#index, after, this.#spec)
    for (const [i, [place, old]] of before.entries()) {
      const { record } = after[i]!
      if (keyOf(old, this.#spec) === keyOf(record, this.#spec)) this.#set(place, record)
      else {
        this.#index.remove(place, old)
        this.#add(record)
      }
    }
    return before.length
  }

  delete(where: Where<T>): number {
    const found = [...matching(this.#index, where, this.#spec)]
    for (const [place, record] of found) this.#index.remove(place, record)
    return found.length
  }

  /** Replaces all records by frozen ones that fit together (`assertFit`). */
  replaceAll(records: readonly T[], serial: number): void {
    this.delete(() => true)
    this.last.serial = this.#spec.serial ? serial : 0
    for (const record of records) this.#add(record)
  }

  #add(record: T): void {
    this.last.place++
    this.#set(this.last.place, record)
  }

  #set(place: number, record: T): void {
    this.#index.set(place, record)
    if (this.#spec.serial) this.last.serial = Math.max(this.last.serial, Number(keyOf(record, this.#spec)))
  }
}

function* matching<T extends object>(
  index: DraftIndex<T>,
  where: Where<T>,
  spec: CollectionSpec,
): Generator<[number, T]> {
  const matches = typeof where === 'function' ? where : equals(where)
  const key = typeof where === 'function' ? undefined : where[spec.key as keyof T]
  if (key === undefined) {
    for (const entry of index.entries()) if (matches(entry[1])) yield entry
    return
  }
  const place = index.placeOf(key as Key)
  const record = place === undefined ? undefined : index.recordAt(place)
  if (record && matches(record)) yield [place!, record]
}

/** @throws when changed records would share a key or a unique combination, with each other or with unchanged ones. */
function assertNoClash<T extends object>(
  index: DraftIndex<T>,
  after: { place: number; record: T }[],
  spec: CollectionSpec,
): void {
  const changing = new Set(after.map(({ place }) => place))
  const seen = new Set<string>()
  for (const { record } of after) {
    const key = keyOf(record, spec)
    const holders = [index.placeOf(key), index.holderOf(record)]
    const combination = combinationOf(record, spec)
    const marks = [`key ${key}`, ...(combination === null ? [] : [`combination ${combination}`])]
    const isTaken = holders.some((holder) => holder !== undefined && !changing.has(holder))
    if (isTaken || marks.some((mark) => seen.has(mark))) throw clash(record, spec)
    for (const mark of marks) seen.add(mark)
  }
}

function clash<T extends object>(record: T, spec: CollectionSpec): Error {
  return new Error(`another record stands where ${keyOf(record, spec)} would be`)
}
