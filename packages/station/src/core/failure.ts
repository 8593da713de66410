import type { FailureCode, FailureDetails } from '@solstice/contracts'

/** A refusal with a known cause; translated into status and texts once, where the answer is written. */
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

/** An error of the system, of PostgreSQL (disk_full) and of Redis, which puts the system's text into its own. */
const FULL_DISK_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100'])
const FULL_DISK_TEXT = /^MISCONF .*No space left on device/
const MAX_CAUSES = 5
const RETRY_AFTER_S = 5

/** Whether an error, or what caused it, is that a disk has no room. */
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

/** The refusal by a store that is away, or full when its error says so. */
export function storeUnavailable(cause?: unknown): Failure {
  const details = { retryAfterSecs: RETRY_AFTER_S, ...(isDiskFull(cause) && { reason: 'disk_full' }) }
  return new Failure('DATA_UNAVAILABLE', details, cause === undefined ? undefined : { cause })
}

/** An error as it is, unless it is that a disk is full: then the refusal. */
export function diskFullAsFailure(error: unknown): unknown {
  return isDiskFull(error) && !(error instanceof Failure && error.code === 'DATA_UNAVAILABLE')
    ? storeUnavailable(error)
    : error
}

/** Whether a store is away or full: what was refused for that can be done later. */
export function isStoreUnavailable(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  const { code, details } = error
  return code === 'DATA_UNAVAILABLE' || code === 'STORAGE_URL_FAILED' || isBucketAway(code, details)
}

function isBucketAway(code: FailureCode, { reason }: FailureDetails): boolean {
  return code === 'STORAGE_WRITE_FAILED' && reason === 'away'
}

/**
 * A change broke off in the middle because a store is away or full, or did not begin because another one is not whole yet:
 * it is neither made nor refused, and goes on later.
 */
export class HeldUp extends Error {
  /** It waits for another change, and has changed nothing since it was tried last. */
  readonly isWaiting: boolean

  constructor(cause: Error, isWaiting = false) {
    super(`held up: ${cause.message}`, { cause })
    this.name = 'HeldUp'
    this.isWaiting = isWaiting
  }
}
