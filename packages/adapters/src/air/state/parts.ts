import { type Cut, cutsSince, type QueueEntry } from '@solstice/playout'
import { ENTRIES_PER_BLOCK, type KnownList } from './blocks.ts'

type Part = KnownList['parts'][number]
type Entries = readonly QueueEntry[]
/** Writes entries as a block. @returns its key. */
type Store = (entries: Entries) => string

/** A list in parts: those of the lists before, wherever they are still there as they were, and new ones between them. */
export function partsOf(entries: Entries, before: readonly KnownList[], store: Store): Part[] {
  for (const list of before) {
    const cuts = cutsSince(list.entries, entries)
    if (cuts) return partsByCuts(entries, list.parts, cuts, store)
  }
  return partsBySearch(entries, before, store)
}

/** Looks at nothing but the parts that a change touches. */
function partsByCuts(entries: Entries, before: readonly Part[], cuts: readonly Cut[], store: Store): Part[] {
  const parts: Part[] = []
  let [from, to, shift, next] = [0, 0, 0, 0]
  for (const part of before) {
    const start = to
    to += part.entries.length
    for (let cut = cuts[next]; cut && cut.at + cut.leaving <= start; cut = cuts[++next])
      shift += cut.coming - cut.leaving
    const isTouched = next < cuts.length && cuts[next]!.at < to
    if (isTouched) continue
    parts.push(...freshParts(entries, from, start + shift, store), part)
    from = to + shift
  }
  return [...parts, ...freshParts(entries, from, entries.length, store)]
}

function partsBySearch(entries: Entries, before: readonly KnownList[], store: Store): Part[] {
  const byFirst = new Map(before.flatMap(({ parts }) => parts.map((part) => [part.entries[0], part])))
  const parts: Part[] = []
  let from = 0
  for (let at = 0; at < entries.length; ) {
    const part = byFirst.get(entries[at])
    if (part && isAt(part.entries, entries, at)) {
      parts.push(...freshParts(entries, from, at, store), part)
      at += part.entries.length
      from = at
    } else at++
  }
  return [...parts, ...freshParts(entries, from, entries.length, store)]
}

const none: Part[] = []

function freshParts(entries: Entries, from: number, to: number, store: Store): Part[] {
  if (from === to) return none
  const count = Math.ceil((to - from) / ENTRIES_PER_BLOCK)
  return Array.from({ length: count }, (_, i) => {
    const cut = (n: number) => from + Math.floor(((to - from) * n) / count)
    const fresh = entries.slice(cut(i), cut(i + 1))
    return { key: store(fresh), entries: fresh }
  })
}

function isAt(part: Entries, entries: Entries, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== entries[at + i]) return false
  return true
}
