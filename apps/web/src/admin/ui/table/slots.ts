import { useRef } from 'preact/hooks'

/** The slot of a drawn row, by the row's index. */
export type Slots = ReadonlyMap<number, number>

/**
 * Gives each drawn row a slot, which is a set of elements. A row keeps its slot for as long as it is drawn; one that comes takes
 * the slot of one that has gone, so that scrolling exchanges texts instead of elements.
 */
export function slotsAfter(known: Slots, drawn: readonly number[]): Slots {
  const wanted = new Set(drawn)
  const free: number[] = []
  const taken = new Set<number>()
  for (const [row, slot] of known) {
    if (wanted.has(row)) taken.add(slot)
    else free.push(slot)
  }
  let lowest = 0
  let reused = 0
  const slotFor = (row: number): number => {
    const slot = known.get(row) ?? free[reused++]
    if (slot !== undefined) return slot
    while (taken.has(lowest) || free.includes(lowest)) lowest++
    return lowest++
  }
  return new Map(drawn.map((row) => [row, slotFor(row)]))
}

/** The drawn rows with their slots, in the order of the slots: no element is moved within the page. */
export function useSlots(drawn: readonly number[]): { row: number; slot: number }[] {
  const known = useRef<Slots>(new Map())
  known.current = slotsAfter(known.current, drawn)
  return Array.from(known.current, ([row, slot]) => ({ row, slot })).sort((a, b) => a.slot - b.slot)
}
