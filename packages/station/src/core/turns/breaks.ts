import type { Pieces } from '@solstice/playout'

/** The event loop waits at most about this long for a computation that takes breaks. */
const SLICE_MS = 8

/**
 * Makes a function for a long computation to await now and then: it lets the event loop run when the computation has worked for
 * 8 ms.
 */
export function createBreaks(): () => Promise<void> | undefined {
  let sinceMs = performance.now()
  return () => {
    if (performance.now() - sinceMs < SLICE_MS) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        sinceMs = performance.now()
        resolve()
      })
    })
  }
}

/** Computes piece by piece, with breaks between them. @throws what a piece throws. */
export async function withBreaks<R>(pieces: Pieces<R>): Promise<R> {
  const pause = createBreaks()
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
    await pause()
  }
}
