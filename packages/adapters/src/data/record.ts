import type { CollectionSpec } from '@solstice/station'

export type Key = string | number

/** The new record at each changed place, in order of the new places; null = removed. */
export type Changes<T> = ReadonlyMap<number, T | null>

/** The last numbers that a collection gave out. */
export interface Counters {
  place: number
  serial: number
}

export function keyOf<T extends object>(record: T, { key }: CollectionSpec): Key {
  return record[key as keyof T] as Key
}

/** The fields that no two records may share, as one text; null when there are none, or the record lacks one: it clashes with no other. */
export function combinationOf<T extends object>(record: T, { unique }: CollectionSpec): string | null {
  const values = unique?.map((field) => record[field as keyof T] ?? null)
  if (!values || values.includes(null as never)) return null
  // The text of the record itself takes no memory of its own.
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(values)
}

/** A predicate for records with these fields. */
export function equals<T extends object>(where: Partial<T>): (record: T) => boolean {
  const fields = Object.entries(where) as [keyof T, unknown][]
  return (record) => fields.every(([field, value]) => record[field] === value)
}

/** @throws when a record has no key, or two share their key or a unique combination. */
export function assertFit(records: readonly object[], spec: CollectionSpec): void {
  const seen = new Set<Key>()
  const taken = new Set<string | null>()
  for (const record of records) {
    const key = keyOf<object>(record, spec)
    if (spec.serial ? !Number.isSafeInteger(key) : typeof key !== 'string')
      throw new Error(`a record has no "${spec.key}"`)
    const combination = combinationOf<object>(record, spec)
    if (seen.has(key) || (combination !== null && taken.has(combination)))
      throw new Error(`another record stands where ${key} would be`)
    seen.add(key)
    taken.add(combination)
  }
}

/** A frozen copy as JSON would keep it, which nobody else holds. */
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
