type Sources = readonly object[]

/**
 * Memoizes the last result by the identity of its sources: a store returns the same object while nothing changed.
 */
export function memoizeLast<C extends Sources, R>(make: (...from: C) => R): (...from: C) => R {
  let last: { from: C; result: R } | null = null
  return (...from) => {
    if (!last || from.some((source, i) => source !== last?.from[i])) last = { from, result: make(...from) }
    return last.result
  }
}
