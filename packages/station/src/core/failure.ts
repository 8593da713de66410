import type { FailureCode, FailureDetails } from '@solstice/contracts'

/** A refusal with a known code; translated into status and texts once, where the answer is written. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: FailureDetails

  constructor(code: FailureCode, details: FailureDetails = {}, options?: ErrorOptions) {
    super(code, options)
    this.name = 'Failure'
    this.code = code
    this.details = details
  }
}

/** Codes of the system and of PostgreSQL (`disk_full`), and the text of Redis, which quotes the system's. */
const FULL_DISK_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100'])
const FULL_DISK_TEXT = /^MISCONF .*No space left on device/
const MAX_CAUSES = 5
const RETRY_AFTER_S = 5

/** True when an error, or a cause of it, is a full disk. */
export function isDiskFull(error: unknown): boolean {
  let one = error
  for (let depth = 0; depth <= MAX_CAUSES && one instanceof Error; depth++) {
    const { code } = one as NodeJS.ErrnoException
    if (FULL_DISK_CODES.has(code) || FULL_DISK_TEXT.test(one.message)) return true
    if (one instanceof Failure && one.details.reason === 'disk_full') return true
    one = one.cause
  }
  return false
}

/** The refusal of a store that is away, or full if `cause` says so. */
export function storeUnavailable(cause?: unknown): Failure {
  const details = { retryAfterSecs: RETRY_AFTER_S, ...(isDiskFull(cause) && { reason: 'disk_full' }) }
  return new Failure('DATA_UNAVAILABLE', details, cause === undefined ? undefined : { cause })
}

/** The refusal for an error that means a full disk; any other error as it is, and a change that is deferred because of one. */
export function diskFullAsFailure(error: unknown): unknown {
  if (error instanceof Deferred) return error
  const isNamed = error instanceof Failure && error.code === 'DATA_UNAVAILABLE'
  return isDiskFull(error) && !isNamed ? storeUnavailable(error) : error
}

/** True when an error means that a store is away or full, so that the work can be done later. */
export function isStoreUnavailable(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  const { code, details } = error
  return code === 'DATA_UNAVAILABLE' || code === 'STORAGE_URL_FAILED' || isBucketAway(code, details)
}

function isBucketAway(code: FailureCode, { reason }: FailureDetails): boolean {
  return code === 'STORAGE_WRITE_FAILED' && reason === 'away'
}

/**
 * A change is postponed and stays neither made nor refused: `interrupted` by a store that is away or full after it had begun,
 * or `locked` out by another change, having changed nothing since the last attempt.
 */
export class Deferred extends Error {
  readonly reason: 'interrupted' | 'locked'

  constructor(reason: Deferred['reason'], cause: Error) {
    super(`${reason}: ${cause.message}`, { cause })
    this.name = 'Deferred'
    this.reason = reason
  }
}
