import type { ForecastItem } from '@solstice/contracts'

const keyOf = (item: ForecastItem) =>
  item.type === 'preparing'
    ? `${item.mode} preparing`
    : `${item.mode} ${item.id} ${item.type === 'song' ? (item.phrase?.id ?? '') : ''}`

/**
 * The places at which a programme differs from another: what stands there doesn't belong to the longest sequence that both
 * have. So one more jingle is one difference, though all that follows comes later.
 */
export function differences(
  programme: readonly ForecastItem[],
  other: readonly ForecastItem[],
): ReadonlySet<number> {
  const [a, b] = [programme.map(keyOf), other.map(keyOf)]
  const width = b.length + 1
  /** How much is in common from a place of each on. */
  const common = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const found = new Set<number>()
  for (let i = 0, j = 0; i < a.length; ) {
    if (a[i] === b[j]) {
      i++
      j++
    } else if (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!) found.add(i++)
    else j++
  }
  return found
}
