type Sources = readonly object[]

/**
 * Works something out once per version of its sources: a store returns the same object while nothing changed. Only the last
 * result is kept.
 */
export function memoizeLast<C extends Sources, R>(make: (...from: C) => R): (...from: C) => R {
  let last: { from: C; result: R } | null = null
  return (...from) => {
    if (!last || from.some((source, i) => source !== last?.from[i])) last = { from, result: make(...from) }
    return last.result
  }
}
