import { isDoneSoon } from './pieces.ts'

/** Serves a fixed number of slices one after another, in one round per chunk. */
export interface Rounds<Chunk> {
  /** Starts a round at once, or after the current one. @param dueMs when a slice is due, in ms from the beginning of the round. */
  begin(chunk: Chunk, dueMs: (slice: number) => number): void
  end(): void
}

interface Round<Chunk> {
  chunk: Chunk
  dueMs(slice: number): number
}

/**
 * Keeps a steady pace within a round. When a chunk arrives before the last round is over, the rest of that round is hurried,
 * but still serves the older chunk only: a listener that got two at once would wait twice as long for the third.
 *
 * @param serve serves a slice, a step each time it is asked.
 */
export function createRounds<Chunk>(
  slices: number,
  serve: (slice: number, chunk: Chunk) => Iterator<unknown>,
): Rounds<Chunk> {
  let current: (Round<Chunk> & { beganMs: number }) | null = null
  let following: Round<Chunk> | null = null
  let slice = 0
  let serving: Iterator<unknown> | null = null
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Immediate | undefined

  const step = () => {
    if (!current) return
    serving ??= serve(slice, current.chunk)
    if (!isDoneSoon(serving)) {
      soon = setImmediate(step)
      return
    }
    serving = null
    slice++
    if (slice === slices) {
      current = following && { ...following, beganMs: performance.now() }
      following = null
      slice = 0
      if (current) step()
      return
    }
    if (current.dueMs(slice) === current.dueMs(slice - 1)) {
      soon = setImmediate(step)
      return
    }
    // A hurried round, too, leaves a millisecond between two slices to those who join.
    const waitMs = current.beganMs + current.dueMs(slice) - performance.now()
    timer = setTimeout(step, following ? 0 : Math.max(0, waitMs))
  }
  const rest = () => {
    clearTimeout(timer)
    clearImmediate(soon)
  }
  return {
    begin(chunk, dueMs) {
      following = { chunk, dueMs }
      rest()
      if (!current) {
        current = { ...following, beganMs: performance.now() }
        following = null
      }
      step()
    },
    end: rest,
  }
}
