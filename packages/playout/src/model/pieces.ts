/**
 * A long computation that can be interrupted: it yields now and then, and returns its result. Its caller may let others work
 * between two pieces, as long as nobody changes what it reads.
 */
export type Pieces<R> = Generator<void, R, void>

/** Items to look at between two interruptions. */
export const PIECE = 512

/** Computes all pieces at once. */
export function finish<R>(pieces: Pieces<R>): R {
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
  }
}
