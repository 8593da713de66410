import type { Broadcast } from '../broadcast.ts'
import { type Compared, createComparison } from './comparison.ts'

/** Different frames in a row that are no accident, and same ones that are none. */
const DIFFERING_MS = 500
const SAME_MS = 2_000

/** A comparison for each connection. Counting is not trusted before a second one, with numbers of its own, has come to the same. */
export interface TrustedComparison {
  /** A connection begins at this frame; null = it doesn't say. */
  begin(first: number | null): void
  add(frame: Uint8Array): void
  end(): void
  /** Number of the newest frame that was heard; null = nothing is compared. */
  readonly newest: number | null
  /**
   * Null while nothing is compared, or while a difference is in doubt.
   *
   * @param isRepeated sound of before comes again, which no wrong count explains.
   */
  look(isRepeated: boolean): Compared | null
}

/** @param joinAgain opens another connection, since this one can't be trusted. */
export function createTrustedComparison(broadcast: Broadcast, joinAgain: () => void): TrustedComparison {
  let current: ReturnType<typeof createComparison> | null = null
  let holes = broadcast.holes
  let isDoubted = false
  const distrust = () => {
    current = null
    joinAgain()
  }
  return {
    begin(first) {
      current = first === null ? null : createComparison(broadcast, first)
      holes = broadcast.holes
    },
    add: (frame) => current?.add(frame),
    end() {
      current = null
    },
    get newest() {
      return current?.newest ?? null
    },
    look(isRepeated) {
      if (current && holes !== broadcast.holes) distrust()
      const compared = current?.look() ?? null
      if (compared && compared.sameMs >= SAME_MS) isDoubted = false
      if (!compared || compared.differingMs < DIFFERING_MS || isDoubted || isRepeated) return compared
      isDoubted = true
      distrust()
      return null
    },
  }
}
