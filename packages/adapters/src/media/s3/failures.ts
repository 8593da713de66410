import { Failure } from '@solstice/station'

/** An error of the store without its text and fields, which repeat keys and signatures. */
export class RedactedError extends Error {
  /** True when the store is away or overloaded, as opposed to refusing the request. */
  readonly isTransient: boolean
  constructor(message: string, isTransient: boolean) {
    super(message)
    this.isTransient = isTransient
  }
}

/** @param action what was attempted, such as "reading a file". */
export function redacted(action: string, error: unknown): RedactedError {
  const { name, code } = error as { name?: string; code?: string }
  const status = statusOf(error)
  const isTransient = status === undefined || status >= 500 || status === 429
  const reason = `${code ?? name ?? 'it failed'}${status ? ` (${status})` : ''}`
  return new RedactedError(`${action}: ${reason}`, isTransient)
}

export function unreachable(cause: RedactedError): Failure {
  return new Failure('STORAGE_URL_FAILED', {}, { cause })
}

export function notWritten(cause: RedactedError): Failure {
  return new Failure('STORAGE_WRITE_FAILED', cause.isTransient ? { reason: 'away' } : {}, { cause })
}

/** Sends a request. @throws Failure NOT_FOUND for an absent file, else what `toFailure` makes of the error. */
export async function attempt<T>(
  action: string,
  send: () => Promise<T>,
  toFailure: (cause: RedactedError) => Failure = unreachable,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof Failure) throw error
    if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') throw new Failure('NOT_FOUND')
    throw toFailure(redacted(action, error))
  }
}

/** The HTTP status that the store answered with; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
}
