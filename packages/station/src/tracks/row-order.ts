import type { Compare } from '../core/turns/sort-in-pieces.ts'

/**
 * Exchanges a few of many sorted items, with few comparisons.
 *
 * @returns null when an item that should go is not in its place.
 */
export function exchangeSorted<T>(
  sorted: readonly T[],
  { gone, made }: { gone: readonly T[]; made: readonly T[] },
  compare: Compare<T>,
): T[] | null {
  const all: T[] = []
  let from = 0
  const copyUpTo = (place: number) => {
    for (; from < place; from++) all.push(sorted[from]!)
  }
  const leaving = new Set(gone)
  for (const item of [...gone, ...made].sort(compare)) {
    copyUpTo(placeFor(sorted, item, compare, from))
    if (!leaving.has(item)) all.push(item)
    else if (sorted[from] === item) from++
    else return null
  }
  copyUpTo(sorted.length)
  return all
}

/** The index of the first item at or after `from` that comes after this one. */
function placeFor<T>(sorted: readonly T[], item: T, compare: Compare<T>, from: number): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(sorted[middle]!, item) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
