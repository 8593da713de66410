import { Failure } from '@solstice/station'

/** True when a storage said that it has no such file. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.code === 'NOT_FOUND'
}
