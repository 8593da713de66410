import type { FailureCode, FailureDetails } from '@solstice/contracts'
import { Failure } from '@solstice/station'

const MARK = 'Failure '

/** A refusal as the reason of a failed job. `refusalIn` reads it. */
export function writeRefusal({ code, details }: Failure): string {
  return MARK + JSON.stringify({ code, details })
}

/** The refusal that a job failed with; null when it failed for another reason. */
export function refusalIn(reason: string): Failure | null {
  if (!reason.startsWith(MARK)) return null
  const { code, details } = JSON.parse(reason.slice(MARK.length)) as {
    code: FailureCode
    details: FailureDetails
  }
  return new Failure(code, details)
}
