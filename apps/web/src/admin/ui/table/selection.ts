import { useRef, useState } from 'preact/hooks'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** `range`: everything from the row that was chosen last; `more`: keeps what is chosen. */
  choose(id: string, how?: { range?: boolean; more?: boolean }): void
  chooseAll(): void
  clear(): void
}

/** The chosen rows of a table, by their ids in the order in which they are shown; rows that are gone are chosen no longer. */
export function useSelection(ids: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string | null>(null)
  const there = new Set(ids)
  const kept = new Set([...chosen].filter((id) => there.has(id)))
  return {
    ids: kept,
    choose(id, { range = false, more = false } = {}) {
      setChosen(chosenAfter(ids, kept, anchor.current, id, { range, more }))
      if (!range) anchor.current = id
    },
    chooseAll: () => setChosen(there),
    clear: () => setChosen(new Set()),
  }
}

/** What is chosen after one more row was. */
export function chosenAfter(
  ids: readonly string[],
  chosen: ReadonlySet<string>,
  anchor: string | null,
  id: string,
  { range, more }: { range: boolean; more: boolean },
): ReadonlySet<string> {
  const from = anchor === null ? -1 : ids.indexOf(anchor)
  if (range && from >= 0) {
    const to = ids.indexOf(id)
    const [first, last] = from < to ? [from, to] : [to, from]
    return new Set([...(more ? chosen : []), ...ids.slice(first, last + 1)])
  }
  if (!more) return new Set(chosen.size === 1 && chosen.has(id) ? [] : [id])
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return next
}
