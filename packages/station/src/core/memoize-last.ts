type Collections = readonly (readonly object[])[]

/**
 * Works something out once per version of what it is made from: a store gives out the same array while nothing changed.
 * Only the last result is kept.
 */
export function memoizeLast<C extends Collections, R>(make: (...from: C) => R): (...from: C) => R {
  let last: { from: C; result: R } | null = null
  return (...from) => {
    if (!last || from.some((collection, i) => collection !== last?.from[i]))
      last = { from, result: make(...from) }
    return last.result
  }
}
