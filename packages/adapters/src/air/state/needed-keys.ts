import type { KnownBlocks, KnownList } from './blocks.ts'

/** The keys of all blocks that a state needs, kept up to date by what changes from one state to the next. */
export interface NeededKeys {
  has(key: string): boolean
  readonly size: number
  /** @returns the keys that are needed from now on, and those that aren't any more. */
  exchange(before: BlockOwners, after: BlockOwners): { added: ReadonlySet<string>; removed: string[] }
}

export interface BlockOwners {
  tracks: Pick<KnownBlocks['tracks'], 'table' | 'key' | 'keys'>
  lists: readonly KnownList[]
}

export const noOwners: BlockOwners = { tracks: { table: '', key: '', keys: [] }, lists: [] }

export function createNeededKeys(): NeededKeys {
  const counts = new Map<string, number>()
  return {
    has: (key) => counts.has(key),
    get size() {
      return counts.size
    },
    exchange(before, after) {
      const added = new Set<string>()
      const removed = new Set<string>()
      // Keys that come are counted before those that go, so that none that stays is ever without a count.
      eachKeyBeside(after, before, (key) => {
        const count = counts.get(key) ?? 0
        counts.set(key, count + 1)
        if (count === 0) added.add(key)
      })
      eachKeyBeside(before, after, (key) => {
        const count = counts.get(key)!
        if (count > 1) return void counts.set(key, count - 1)
        counts.delete(key)
        removed.add(key)
      })
      return { added, removed: [...removed] }
    },
  }
}

/** Calls with the keys of lists that are not among the others, and of tracks that are not at the same place there. */
function eachKeyBeside(these: BlockOwners, those: BlockOwners, found: (key: string) => void): void {
  eachTrackKeyBeside(these.tracks, those.tracks, found)
  for (const [place, list] of these.lists.entries()) {
    if (these.lists.indexOf(list) < place || those.lists.includes(list)) continue
    found(list.key)
    const { from, ends } = partsBeside(list.parts, followedBy(place, these, those)?.parts)
    for (let i = from; i < list.parts.length - ends; i++) found(list.parts[i]!.key)
  }
}

function eachTrackKeyBeside(
  these: BlockOwners['tracks'],
  those: BlockOwners['tracks'],
  found: (key: string) => void,
): void {
  if (these.key === those.key) return
  if (these.key) found(these.key)
  for (let i = these.keys.length - 1; i >= 0; i--) {
    if (these.keys[i] !== those.keys[i]) found(these.keys[i]!)
    // A table only changes at its end.
    else if (these.table === those.table) return
  }
}

/** The list that has the place of another one, which is not kept beside it. The two see each other as such. */
function followedBy(place: number, these: BlockOwners, those: BlockOwners): KnownList | undefined {
  const other = those.lists[place]
  const isAnother = other && those.lists.indexOf(other) === place && !these.lists.includes(other)
  return isAnother ? other : undefined
}

/** How many parts two lists begin and end with alike. A change touches a few of hundreds. */
function partsBeside(
  these: KnownList['parts'],
  those: KnownList['parts'] = [],
): { from: number; ends: number } {
  const most = Math.min(these.length, those.length)
  let from = 0
  while (from < most && these[from] === those[from]) from++
  let ends = 0
  while (ends < most - from && these[these.length - 1 - ends] === those[those.length - 1 - ends]) ends++
  return { from, ends }
}
