import type { FailureCode, FailureDetails } from '@solstice/contracts'

/** A refusal with a known cause; translated into status and texts once, where the answer is written. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: FailureDetails

  constructor(code: FailureCode, details: FailureDetails = {}) {
    super(code)
    this.name = 'Failure'
    this.code = code
    this.details = details
  }
}

/** Whether a store is away or full: what was refused for that can be done later. */
export function isOfStore(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  const { code, details } = error
  return code === 'DATA_UNAVAILABLE' || code === 'STORAGE_URL_FAILED' || isBucketAway(code, details)
}

function isBucketAway(code: FailureCode, { reason }: FailureDetails): boolean {
  return code === 'STORAGE_WRITE_FAILED' && reason === 'away'
}

/** A change broke off in the middle because a store is away or full: it is neither made nor refused, and goes on later. */
export class HeldUp extends Error {
  constructor(cause: Failure) {
    super(`held up: ${cause.message}`, { cause })
    this.name = 'HeldUp'
  }
}
