/** Serves a fixed number of slices one after another, in one round per chunk. */
export interface Rounds<Chunk> {
  /** Starts a round at once, or after the current one. @param spacingMs pause between two slices. */
  begin(chunk: Chunk, spacingMs: number): void
  end(): void
}

/**
 * Keeps a steady pace within a round. When a chunk arrives before the last round is over, the rest of that round is hurried,
 * but still serves the older chunk only: a listener that got two at once would wait twice as long for the third.
 */
export function createRounds<Chunk>(
  slices: number,
  serve: (slice: number, chunk: Chunk) => void,
): Rounds<Chunk> {
  let current: { chunk: Chunk; beganMs: number; spacingMs: number } | null = null
  let following: { chunk: Chunk; spacingMs: number } | null = null
  let slice = 0
  let timer: NodeJS.Timeout | undefined

  const step = () => {
    if (!current) return
    serve(slice++, current.chunk)
    if (slice === slices) {
      current = following && { ...following, beganMs: performance.now() }
      following = null
      slice = 0
      if (current) step()
      return
    }
    const dueMs = current.beganMs + slice * current.spacingMs
    timer = setTimeout(step, following ? 0 : Math.max(0, dueMs - performance.now()))
  }
  return {
    begin(chunk, spacingMs) {
      following = { chunk, spacingMs }
      clearTimeout(timer)
      if (!current) {
        current = { ...following, beganMs: performance.now() }
        following = null
      }
      step()
    },
    end: () => clearTimeout(timer),
  }
}
