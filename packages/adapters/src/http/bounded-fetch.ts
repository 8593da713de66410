/** How long an answer may take, from the question to its last byte, and how long it may be. */
export interface AnswerLimits {
  timeMs: number
  maxBytes: number
}

/** An answer whose body is still to be read or discarded. */
export interface Answer {
  status: number
  headers: Headers
  /** @throws Error when the rest is late, too long or breaks off. */
  text(): Promise<string>
  discard(): Promise<void>
}

/**
 * Asks a service that the operator named. It is not followed to other places.
 *
 * @param service for the errors: what it is called.
 * @throws Error when it cannot be reached, is late or sends us elsewhere.
 */
export async function fetchBounded(
  service: string,
  url: string,
  request: Omit<RequestInit, 'redirect' | 'signal'>,
  { timeMs, maxBytes }: AnswerLimits,
): Promise<Answer> {
  const tooLate = AbortSignal.timeout(timeMs)
  const { status, headers, body } = await fetch(url, {
    ...request,
    // The operator named one host; where it sends us to is nobody's promise.
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
  // fetch heeds its signal until the head of the answer is there; afterwards it may forget it.
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
