import type { HlsSegment } from './cutter.ts'

/** About a minute. */
const LISTED_SEGMENTS = 10
/** One that left the playlist is there for its own duration and that of the playlist (RFC 8216, 6.2.2). */
const KEPT_SEGMENTS = 2 * LISTED_SEGMENTS + 2
/** Stretches of less than a segment leave no segment of their own. */
const MAX_STRETCHES_APART = 9
/** A replica may learn of a segment a moment after the one that listed it, or have just started. */
const WAIT_MS = 3_000

/** The last segments of a mount. */
export interface KeptSegments {
  add(segment: HlsSegment): void
  readonly newest: HlsSegment | null
  /** The segments of the playlist, in order; null for one that lacks frames. Begins with a whole one. */
  listed(): (HlsSegment | null)[]
  at(number: number): HlsSegment | null
  /** The same, but waits up to 3 s for a segment that comes next. */
  whenThere(number: number): Promise<HlsSegment | null>
}

export function keepSegments(waitMs = WAIT_MS): KeptSegments {
  let kept: HlsSegment[] = []
  const waiting = new Set<() => void>()
  const at = (number: number) => kept.find((segment) => segment.number === number) ?? null
  const newest = () => kept.at(-1) ?? null

  return {
    add(segment) {
      const before = newest()
      if (before && !follows(before, segment)) kept = []
      kept.push(segment)
      kept = kept.filter(({ number }) => number > segment.number - KEPT_SEGMENTS)
      for (const wake of waiting) wake()
    },
    get newest() {
      return newest()
    },
    listed() {
      const last = newest()
      if (!last) return []
      const oldest = last.number - LISTED_SEGMENTS + 1
      const first = kept.find(({ number }) => number >= oldest)!
      return Array.from({ length: last.number - first.number + 1 }, (_, i) => at(first.number + i))
    },
    at,
    async whenThere(number) {
      const isComing = () => {
        const last = newest()
        return !last || (number > last.number && number <= last.number + KEPT_SEGMENTS)
      }
      if (!isComing()) return at(number)
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        const look = () => {
          if (!isComing()) done()
        }
        const timer = setTimeout(done, waitMs)
        waiting.add(look)
      })
      return at(number)
    },
  }
}

/** False after the numbers began anew: neither frames nor stretches go back. */
function follows(before: HlsSegment, { number, stretch }: HlsSegment): boolean {
  const apart = stretch - before.stretch
  return number > before.number && apart >= 0 && apart <= MAX_STRETCHES_APART
}
