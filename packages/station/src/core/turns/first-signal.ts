/**
 * Acts with a signal that aborts with the first of these, or has aborted already. Nothing of it is left at them afterwards, while
 * `AbortSignal.any` leaves an entry at each of its sources for as long as that lives (nodejs/node#54614).
 */
export async function withFirstOf<T>(
  signals: readonly AbortSignal[],
  act: (first: AbortSignal) => Promise<T>,
): Promise<T> {
  const first = new AbortController()
  const listeners = signals.map((signal) => ({ signal, onAbort: () => first.abort(signal.reason) }))
  for (const { signal, onAbort } of listeners)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  try {
    return await act(first.signal)
  } finally {
    for (const { signal, onAbort } of listeners) signal.removeEventListener('abort', onAbort)
  }
}
