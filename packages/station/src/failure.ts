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
