/** How far a batch came. */
export interface Outcome<R> {
  results: R[]
  /** Why it did not go on; null when it did, or was stopped. */
  error: unknown
}

/**
 * Sends a batch piece by piece, so that its progress is seen and it can be stopped. After a failure the rest is not sent.
 *
 * @param onDone gets the number of ids that were sent and answered.
 */
export async function inPieces<R>(
  ids: readonly string[],
  pieceSize: number,
  send: (piece: string[]) => Promise<readonly R[]>,
  onDone: (done: number) => void,
  signal: AbortSignal,
): Promise<Outcome<R>> {
  const results: R[] = []
  for (let from = 0; from < ids.length && !signal.aborted; from += pieceSize) {
    const piece = ids.slice(from, from + pieceSize)
    try {
      results.push(...(await send(piece)))
    } catch (error) {
      return { results, error }
    }
    onDone(from + piece.length)
  }
  return { results, error: null }
}
