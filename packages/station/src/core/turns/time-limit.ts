/**
 * A signal that aborts with a TimeoutError after `ms` milliseconds. Unlike `AbortSignal.timeout` it works inside `AbortSignal.any`: there
 * Node holds its sources weakly, and a timeout that is collected as garbage never fires (nodejs/node#57736).
 */
export function timeLimit(ms: number): AbortSignal {
  const limit = new AbortController()
  setTimeout(() => limit.abort(new DOMException('The time limit was reached', 'TimeoutError')), ms).unref()
  return limit.signal
}
