import {
  type PlayoutState,
  type PreparedPlaylist,
  parseSaved,
  type QueueEntry,
  readState,
  type TrackRef,
} from '@solstice/playout'
import {
  type EntryBlock,
  entryIdOf,
  type Head,
  type KnownBlocks,
  type KnownList,
  type StoredEntry,
  TRACKS_PER_BLOCK,
  type TrackDirectory,
} from './blocks.ts'

/** Reads heads that follow each other. Whatever is equal in both is the same object. */
export interface StateReader {
  /** Takes a block for the heads that are read next. */
  learn(key: string, text: string): void
  /**
   * The state, or what the head alone gives while blocks are missing. Learn those and read again: they may name others that are
   * missing too.
   */
  read(head: string): { state: PlayoutState; missing: string[] }
  /** Blocks of the last whole state; undefined when it had none. */
  readonly known: KnownBlocks | undefined
}

export function createStateReader(): StateReader {
  let known: KnownBlocks | undefined
  const learnt = new Map<string, unknown>()
  const missing = new Set<string>()

  const contentOf = <T>(key: string): T | null => {
    if (!learnt.has(key)) missing.add(key)
    return (learnt.get(key) as T | undefined) ?? null
  }
  const contentsOf = <T>(keys: readonly string[]): T[] => keys.flatMap((key) => contentOf<T>(key) ?? [])

  const readTracks = (key: string): KnownBlocks['tracks'] | null => {
    if (known?.tracks.key === key) return known.tracks
    const directory = contentOf<TrackDirectory>(key)
    if (!directory) return null
    const { table, keys } = directory
    const before = known?.tracks.table === table ? known.tracks : noTracks
    const isNew = keys.findIndex((other, i) => other !== before.keys[i])
    const from = isNew < 0 ? keys.length : isNew
    const tracks = contentsOf<TrackRef[]>(keys.slice(from)).flat()
    // Numbered tracks keep their number; only those behind the last one are new.
    const added = tracks.slice(Math.max(0, before.tracks.length - from * TRACKS_PER_BLOCK))
    return { table, key, keys, tracks: before.tracks.concat(added) }
  }

  const readList = (key: string, { table, tracks }: KnownBlocks['tracks']): KnownList | null => {
    const listsBefore = (known?.tracks.table === table && known?.lists) || []
    const before = listsBefore.find((list) => list.key === key)
    if (before) return before
    const keys = contentOf<string[]>(key)
    if (!keys) return null
    const partsBefore = new Map(listsBefore.flatMap(({ parts }) => parts.map((part) => [part.key, part])))
    const blocks = new Map(
      keys.filter((other) => !partsBefore.has(other)).map((other) => [other, contentOf<EntryBlock>(other)]),
    )
    if (missing.size > 0) return null
    const parts = keys.map(
      (other) =>
        partsBefore.get(other) ?? { key: other, entries: entriesOf(blocks.get(other)!.entries, tracks) },
    )
    // Far faster than flatMap.
    const entries: QueueEntry[] = []
    return { key, parts, entries: entries.concat(...parts.map((part) => part.entries)) }
  }

  const fill = (state: PlayoutState, blocks: NonNullable<Head['blocks']>): PlayoutState | null => {
    const tracks = readTracks(blocks.tracks)
    const modes = Object.entries(blocks.prepared)
    const keys = [blocks.playlist.entries, ...modes.map(([, { entries }]) => entries)]
    // Also without the tracks, to find out which blocks are missing.
    const lists = keys.map((key) => readList(key, tracks ?? noTracks))
    if (!tracks || missing.size > 0) return null
    known = { tracks, lists: lists as KnownList[] }
    learnt.clear()
    return withEntries(state, blocks, known.lists)
  }

  return {
    get known() {
      return known
    },
    learn(key, text) {
      learnt.set(key, parseSaved(text))
    },
    read(json) {
      const { blocks, ...state } = readState(json) as Head
      // The version before saved its lists in the state itself.
      if (!blocks) return { state, missing: [] }
      missing.clear()
      const whole = fill(state, blocks)
      return whole ? { state: whole, missing: [] } : { state, missing: [...missing] }
    },
  }
}

/** The state of a head with its whole lists: the current one, then the prepared ones in the order of the head. */
function withEntries(
  state: PlayoutState,
  { playlist, prepared }: NonNullable<Head['blocks']>,
  [current, ...others]: readonly KnownList[],
): PlayoutState {
  return {
    ...state,
    playlist: { ...state.playlist, index: playlist.index, entries: current!.entries as QueueEntry[] },
    prepared: Object.fromEntries(
      Object.entries(prepared).map(([mode, other], i): [string, PreparedPlaylist] => [
        mode,
        { ...other, entries: others[i]!.entries as QueueEntry[] },
      ]),
    ),
  }
}

const noTracks: KnownBlocks['tracks'] = { table: '', key: '', keys: [], tracks: [] }

function entriesOf(stored: readonly StoredEntry[], tracks: readonly TrackRef[]): QueueEntry[] {
  let next = -1
  return stored.map((item): QueueEntry => {
    if (typeof item === 'object' && !Array.isArray(item)) return { ...item, track: tracks[item.track]! }
    const [serial, track] = typeof item === 'number' ? [next, item] : item
    next = serial + 1
    return { entryId: entryIdOf(serial), track: tracks[track]!, orderType: null, tier: null }
  })
}
