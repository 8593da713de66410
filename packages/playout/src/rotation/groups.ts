import type { GroupDefs } from '../model/commands/commands.ts'
import { finish, PIECE, type Pieces } from '../model/pieces.ts'

/** A group with the tracks that belong to it. */
export interface TrackGroup<T> {
  name: string
  tracks: T[]
}

/**
 * Tracks by group (rule G5): a track belongs to the first group with an artist whose folded name occurs in the folded
 * file name; failing that, in the folded artist tag; else to the last group. Returns all groups in order, also those
 * without tracks; without groups the result is empty.
 */
export function groupTracks<T extends { id: string; artist: string }>(
  tracks: readonly T[],
  defs: GroupDefs,
): TrackGroup<T>[] {
  return finish(groupInPieces(tracks, defs))
}

/** … with interruptions. */
export function* groupInPieces<T extends { id: string; artist: string }>(
  tracks: readonly T[],
  defs: GroupDefs,
): Pieces<TrackGroup<T>[]> {
  const groups = Object.keys(defs).map((name): TrackGroup<T> => ({ name, tracks: [] }))
  const firstGroupIn = artistSearch(Object.values(defs))
  let looked = 0
  for (const track of tracks) {
    if (++looked % PIECE === 0) yield
    const byName = firstGroupIn(foldName(fileNameOf(track.id)))
    const index = byName ?? firstGroupIn(foldName(track.artist)) ?? groups.length - 1
    groups[index]?.tracks.push(track)
  }
  return groups
}

/** A name in the form that is compared: lower case, with one space for whatever separates words in file names. */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[<>:"/\\|?*_\s\p{Pd}]+/gu, ' ')
    .trim()
}

function fileNameOf(trackId: string): string {
  return trackId.slice(trackId.indexOf('/') + 1).replace(/\.mp3$/i, '')
}

/** A letter of one or more names; `group`, where a name ends: the first group that has it. */
interface Letter {
  next: Map<string, Letter>
  group: number | null
}

/** Makes a search for the first group with an artist whose folded name occurs in a folded text. */
function artistSearch(artistsByGroup: (readonly string[])[]): (text: string) => number | null {
  // A trie, so that the time depends on the text alone: stations name thousands of artists.
  const root: Letter = { next: new Map(), group: null }
  artistsByGroup.forEach((artists, group) => {
    for (const artist of artists) {
      let letter = root
      for (const unit of foldName(artist).split('')) {
        const next = letter.next.get(unit) ?? { next: new Map(), group: null }
        letter.next.set(unit, next)
        letter = next
      }
      // An empty name would occur everywhere.
      if (letter !== root) letter.group ??= group
    }
  })
  return (text) => {
    let first: number | null = null
    for (let start = 0; start < text.length; start++) {
      let letter = root.next.get(text[start]!)
      for (let at = start + 1; letter; at++) {
        if (letter.group !== null && (first === null || letter.group < first)) first = letter.group
        letter = at < text.length ? letter.next.get(text[at]!) : undefined
      }
    }
    return first
  }
}
