import { timeLimit } from '@solstice/station'

/** Limits of an answer: time from the request to its last byte, and size. */
export interface AnswerLimits {
  timeMs: number
  maxBytes: number
}

/** An answer whose body must be read or discarded. */
export interface Answer {
  status: number
  headers: Headers
  /** @throws Error when the rest is late, too long or incomplete. */
  text(): Promise<string>
  discard(): Promise<void>
}

/**
 * Sends a request to a service that the operator named. Redirects are errors.
 *
 * @param service its name, for error messages.
 * @throws Error when the service cannot be reached, is late or redirects.
 */
export async function fetchBounded(
  service: string,
  url: string,
  request: Omit<RequestInit, 'redirect' | 'signal'>,
  { timeMs, maxBytes }: AnswerLimits,
): Promise<Answer> {
  const tooLate = timeLimit(timeMs)
  const { status, headers, body } = await fetch(url, {
    ...request,
    // The operator trusts one host, not the ones that it redirects to.
    redirect: 'error',
    signal: tooLate,
  })
  return {
    status,
    headers,
    text: () => readText(service, body, tooLate, maxBytes),
    async discard() {
      await body?.cancel()
    },
  }
}

async function readText(
  service: string,
  body: Response['body'],
  tooLate: AbortSignal,
  maxBytes: number,
): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  // fetch obeys its signal until the headers have arrived; afterwards it may ignore it.
  const giveUp = () => void reader.cancel().catch(() => {})
  tooLate.addEventListener('abort', giveUp)
  try {
    for (;;) {
      const { value } = await reader.read()
      tooLate.throwIfAborted()
      if (!value) return Buffer.concat(chunks).toString('utf8')
      size += value.length
      if (size > maxBytes) throw new Error(`${service} answered more than ${maxBytes} bytes`)
      chunks.push(value)
    }
  } finally {
    tooLate.removeEventListener('abort', giveUp)
    giveUp()
  }
}
