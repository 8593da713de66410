import { type Cut, cutsSince, type Pieces, type QueueEntry } from '@solstice/playout'
import { ENTRIES_PER_BLOCK, type KnownList, type KnownPart as Part } from './blocks.ts'

type Entries = readonly QueueEntry[]
/** Writes entries as a block. @param before a part that most of them may be in, at the same places. */
type Store = (entries: Entries, before?: Part) => Part

/** A list in parts: those of the lists before, wherever they are still there as they were, and new ones between them. */
export function* partsOf(entries: Entries, before: readonly KnownList[], store: Store): Pieces<Part[]> {
  for (const list of before) {
    const cuts = cutsSince(list.entries, entries)
    if (cuts) return yield* partsByCuts(entries, list.parts, cuts, store)
  }
  return yield* partsBySearch(entries, before, store)
}

/** Looks at nothing but the parts that a change touches. */
function* partsByCuts(
  entries: Entries,
  before: readonly Part[],
  cuts: readonly Cut[],
  store: Store,
): Pieces<Part[]> {
  const parts: Part[] = []
  let [from, to, shift, next] = [0, 0, 0, 0]
  let touched: Part | undefined
  for (const part of before) {
    const start = to
    to += part.entries.length
    for (let cut = cuts[next]; cut && cut.at + cut.leaving <= start; cut = cuts[++next])
      shift += cut.coming - cut.leaving
    const isTouched = next < cuts.length && cuts[next]!.at < to
    if (isTouched) {
      touched ??= part
      continue
    }
    yield* storeFresh(parts, entries, from, start + shift, store, touched)
    parts.push(part)
    from = to + shift
    touched = undefined
  }
  yield* storeFresh(parts, entries, from, entries.length, store, touched)
  return parts
}

function* partsBySearch(entries: Entries, before: readonly KnownList[], store: Store): Pieces<Part[]> {
  const byFirst = new Map(before.flatMap(({ parts }) => parts.map((part) => [part.entries[0], part])))
  const parts: Part[] = []
  let from = 0
  for (let at = 0; at < entries.length; ) {
    const part = byFirst.get(entries[at])
    if (part && isAt(part.entries, entries, at)) {
      yield* storeFresh(parts, entries, from, at, store)
      parts.push(part)
      at += part.entries.length
      from = at
    } else at++
  }
  yield* storeFresh(parts, entries, from, entries.length, store)
  return parts
}

/** Adds the entries between two indices as new parts. @param before the part that the first of them may be in. */
function* storeFresh(
  parts: Part[],
  entries: Entries,
  from: number,
  to: number,
  store: Store,
  before?: Part,
): Pieces<void> {
  const count = Math.ceil((to - from) / ENTRIES_PER_BLOCK)
  for (let i = 0; i < count; i++) {
    yield
    const cut = (n: number) => from + Math.floor(((to - from) * n) / count)
    const fresh = entries.slice(cut(i), cut(i + 1))
    parts.push(store(fresh, i === 0 ? before : undefined))
  }
}

function isAt(part: Entries, entries: Entries, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== entries[at + i]) return false
  return true
}
