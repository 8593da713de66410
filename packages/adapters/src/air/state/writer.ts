import { createHash, randomUUID } from 'node:crypto'
import type { Mode } from '@solstice/contracts'
import {
  finish,
  ordersOf,
  PIECE,
  type Pieces,
  type Playlist,
  type PlayoutState,
  type PreparedPlaylist,
  type QueueEntry,
  type TrackRef,
} from '@solstice/playout'
import {
  type EntryBlock,
  entryIdOf,
  type Head,
  type KnownBlocks,
  type KnownList,
  type KnownPart,
  type StoredEntry,
  serialOf,
  TRACKS_PER_BLOCK,
  type TrackDirectory,
} from './blocks.ts'
import { type BlockOwners, createNeededKeys, noOwners } from './needed-keys.ts'
import { partsOf } from './parts.ts'

/** Further entries of the list in the head, enough to play while a worker makes the next list. */
const SOON = 20
/** Tracks that are in no list any more stay in the table until they outnumber the others. */
const SPARE_TRACKS = 1_000

/** The writes that save a state. */
export interface WrittenState {
  head: string
  /** Blocks that are new: key and text. */
  added: Map<string, string>
  /** Keys of blocks that the state before needed, and this one does not. */
  removed: string[]
  /** All keys that this state needs. */
  keys: Pick<ReadonlySet<string>, 'has' | 'size'>
}

/** Lays states down that follow each other. Only what is another object than in the state before is looked at. */
export interface StateWriter {
  write(state: PlayoutState): WrittenState
  /** … with interruptions. It has to end before the next state is written. */
  writeInPieces(state: PlayoutState): Pieces<WrittenState>
}

/** @param known what is in Redis already, as it was read. */
export function createStateWriter(known?: KnownBlocks): StateWriter {
  let tracks = createTrackTable(known?.tracks)
  let lists = known?.lists ?? []
  let owners: BlockOwners = known ?? noOwners
  const keys = createNeededKeys()
  keys.exchange(noOwners, owners)
  let isKnown = known !== undefined
  let checkAt = SPARE_TRACKS
  const soonOf = remembered(soonIn)
  const headOf = (state: PlayoutState) => headWith(state, soonOf(state.playlist), tracks.key, lists)

  function* layDown(all: readonly (readonly QueueEntry[])[]) {
    const made = new Map<string, string>()
    const block = (content: unknown) => {
      const text = JSON.stringify(content)
      const key = createHash('sha256').update(text).digest('base64url').slice(0, 12)
      made.set(key, text)
      return key
    }
    const storePart = (entries: readonly QueueEntry[], before?: KnownPart): KnownPart => {
      const stored = tracks.store(entries, before)
      return { key: block({ table: tracks.table, entries: stored } satisfies EntryBlock), entries, stored }
    }
    const laid: KnownList[] = []
    for (const entries of all) {
      const before = lists.find((list) => list.entries === entries)
      const parts = before?.parts ?? (yield* partsOf(entries, lists, storePart))
      laid.push(before ?? { key: block(parts.map(({ key }) => key)), parts, entries })
    }
    lists = laid
    return { made, owners: { tracks: yield* tracks.known(block), lists } }
  }

  return {
    write: (state) => finish(writeInPieces(state)),
    writeInPieces,
  }

  function* writeInPieces(state: PlayoutState): Pieces<WrittenState> {
    const all = [state.playlist, ...Object.values(state.prepared)].map(({ entries }) => entries)
    const isSame = isKnown && all.length === lists.length && all.every((one, i) => one === lists[i]!.entries)
    if (isSame) return { head: headOf(state), added: new Map(), removed: [], keys }

    let laid = yield* layDown(all)
    if (tracks.size > checkAt) {
      checkAt = 2 * (yield* countTracks(all)) + SPARE_TRACKS
      if (tracks.size > checkAt) {
        tracks = createTrackTable()
        lists = []
        laid = yield* layDown(all)
      }
    }
    const { added, removed } = keys.exchange(owners, laid.owners)
    owners = laid.owners
    isKnown = true
    const news = new Map([...laid.made].filter(([key]) => added.has(key)))
    return { head: headOf(state), added: news, removed, keys }
  }
}

function* countTracks(lists: readonly (readonly QueueEntry[])[]): Pieces<number> {
  const ids = new Set<string>()
  for (const entries of lists)
    for (const [i, { track }] of entries.entries()) {
      if (i % PIECE === 0) yield
      ids.add(track.id)
    }
  return ids.size
}

function headWith(
  state: PlayoutState,
  soon: QueueEntry[],
  tracks: string,
  lists: readonly KnownList[],
): string {
  const { playlist, prepared } = state
  const [ofList, ...ofPrepared] = lists.map(({ key }) => key)
  const modes = Object.entries(prepared) as [Mode, PreparedPlaylist][]
  const head: Head = {
    ...state,
    playlist: { ...playlist, entries: soon, index: Math.min(playlist.index, 0) },
    prepared: {},
    blocks: {
      tracks,
      playlist: { index: playlist.index, entries: ofList! },
      prepared: Object.fromEntries(
        modes.map(([mode, other], i) => [mode, { ...other, entries: ofPrepared[i]! }]),
      ),
    },
  }
  return JSON.stringify(head)
}

/** The entry on air, all that was asked for, and the next of the others, in their order. */
function soonIn({ entries, index }: Playlist): QueueEntry[] {
  const from = Math.max(0, index)
  const later = ordersOf(entries).filter((place) => place > from + SOON)
  return entries.slice(from, from + SOON + 1).concat(later.map((place) => entries[place]!))
}

/** Tracks by number. One that is another than under its last number gets a new one. */
function createTrackTable(known?: KnownBlocks['tracks']) {
  const table = known?.table ?? randomUUID().slice(0, 8)
  const tracks = known?.tracks ?? []
  let keys = known?.keys ?? []
  const numbers = new Map(tracks.map(({ id }, number) => [id, number]))
  let key = known?.key ?? ''
  /** Tracks already in blocks. */
  let stored = tracks.length

  const numberOf = (track: TrackRef): number => {
    const last = numbers.get(track.id)
    if (last !== undefined && isSame(tracks[last], track)) return last
    numbers.set(track.id, tracks.length)
    return tracks.push(track) - 1
  }

  /** @param before the plain entry before it, by whose id its own may be known. */
  const storeOne = (entry: QueueEntry, before: QueueEntry | null): StoredEntry => {
    const track = numberOf(entry.track)
    if (!isPlain(entry)) return { ...entry, track }
    const serial = serialOf(entry.entryId)
    return before && serialOf(before.entryId) + 1 === serial ? track : [serial, track]
  }

  return {
    table,
    get key() {
      return key
    },
    get size() {
      return tracks.length
    },
    /** Entries that are at the same places of a part before are stored as they are there. */
    store(entries: readonly QueueEntry[], before?: KnownPart): StoredEntry[] {
      const stored: StoredEntry[] = []
      let lastPlain: QueueEntry | null = null
      let isBehindSame = true
      for (const [i, entry] of entries.entries()) {
        const known = entry === before?.entries[i] ? before.stored?.[i] : undefined
        const item = (isBehindSame && known) || storeOne(entry, lastPlain)
        const isPlain = isStoredPlain(item)
        if (isPlain) lastPlain = entry
        isBehindSame = known !== undefined && isPlain
        stored.push(item)
      }
      return stored
    },
    /** The last block is filled up before another is begun. */
    *known(block: (content: unknown) => string): Pieces<KnownBlocks['tracks']> {
      if (stored < tracks.length) keys = keys.slice()
      for (let i = Math.floor(stored / TRACKS_PER_BLOCK); stored < tracks.length; i++) {
        const end = Math.min(tracks.length, (i + 1) * TRACKS_PER_BLOCK)
        yield
        keys[i] = block(tracks.slice(i * TRACKS_PER_BLOCK, end))
        key = ''
        stored = end
      }
      if (key === '') key = block({ table, keys } satisfies TrackDirectory)
      return { table, key, keys, tracks }
    },
  }
}

/** True when two values of plain JSON say the same. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => isSame(a[name], b[name]))
}

/** Works it out again only for another object than the last one. */
function remembered<T extends object, R>(work: (of: T) => R): (of: T) => R {
  let last: { of: T; result: R } | undefined
  return (of) => {
    if (last?.of !== of) last = { of, result: work(of) }
    return last.result
  }
}

const isStoredPlain = (item: StoredEntry) => typeof item === 'number' || Array.isArray(item)

/** It has nothing but a track and an id like any other entry that was generated. */
function isPlain(entry: QueueEntry): boolean {
  const { entryId, orderType, tier } = entry
  const isGenerated = orderType === null && tier === null && Object.keys(entry).length === 4
  return isGenerated && entryId === entryIdOf(serialOf(entryId))
}
