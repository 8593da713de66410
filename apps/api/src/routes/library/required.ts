import { Failure } from '@solstice/station'

/** @throws Failure BAD_REQUEST when a field is absent or empty. */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined || value === '') throw new Failure('BAD_REQUEST', { field, reason: 'missing' })
  return value
}

/** @throws Failure BAD_REQUEST when a list is empty. */
export function requireSome<T>(list: T[], field: string): T[] {
  if (list.length === 0) throw new Failure('BAD_REQUEST', { field, reason: 'missing' })
  return list
}
