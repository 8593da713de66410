import type { QueueItem } from '@solstice/contracts'

type Entry = Pick<QueueItem, 'id' | 'orderType'>

export interface ShownQueue {
  /** Upcoming entries, the next one first. */
  items: readonly Entry[]
  /** The track on air; null when there is none. */
  airId: string | null
  /** Entries left in the playlist on air; those behind them belong to the prepared one. */
  left: number
}

/**
 * Positions, 1 = next, to which the station lets an entry be moved (rule A11), in order. None for an entry that can't be moved: a
 * donated or locked one, or one of the prepared playlist.
 */
export function placesFor({ items, airId, left }: ShownQueue, from: number): number[] {
  const entry = items[from - 1]
  const isLocked = entry?.id === airId || entry?.id === items[0]?.id
  if (!entry || isLocked || entry.orderType === 'donated' || from > left) return []
  const isPassed = (position: number) => items[position - 1]?.orderType === entry.orderType
  let [first, last] = [from, from]
  while (isPassed(first - 1)) first--
  while (last < left && isPassed(last + 1)) last++
  const repeats = (entries: readonly Entry[]) =>
    entries.filter(({ id }, i) => id === (i ? entries[i - 1]!.id : airId)).length
  const before = repeats(items)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
    (to) => to !== from && repeats(moved(items, from, to)) <= before,
  )
}

/**
 * Positions, 1 = next, at which the station lets a track be put that an admin asks for (rule A12), in order: behind the donated ones,
 * among the requested ones, and not beside itself.
 */
export function placesForNew({ items, airId, left }: ShownQueue, id: string): number[] {
  const orders = items.slice(0, left)
  const firstOther = orders.findIndex(({ orderType }) => orderType !== 'donated')
  const first = firstOther < 0 ? orders.length : firstOther
  const behind = orders.slice(first).findIndex(({ orderType }) => orderType !== 'lastinline')
  const last = behind < 0 ? orders.length : first + behind
  const idAt = (position: number) => (position === 0 ? airId : items[position - 1]?.id)
  return Array.from({ length: last - first + 1 }, (_, i) => first + 1 + i).filter(
    (position) => idAt(position - 1) !== id && idAt(position) !== id,
  )
}

/** The list with an entry at another position. */
function moved<T>(items: readonly T[], from: number, to: number): T[] {
  return items.toSpliced(from - 1, 1).toSpliced(to - 1, 0, items[from - 1]!)
}

/** How far an entry travels from one position to another, px down. */
export function travelPx(heightsPx: readonly number[], from: number, to: number): number {
  const sum = (passed: readonly number[]) => passed.reduce((all, height) => all + height, 0)
  return from < to ? sum(heightsPx.slice(from, to)) : -sum(heightsPx.slice(to - 1, from - 1))
}

/** How far an entry makes way, px down, while the one of position `from` stands at `to`. */
export function yieldPx(
  heightsPx: readonly number[],
  { from, to }: { from: number; to: number },
  position: number,
): number {
  const height = heightsPx[from - 1] ?? 0
  if (from < position && position <= to) return -height
  return to <= position && position < from ? height : 0
}
