import { createHash, randomUUID } from 'node:crypto'
import type { Mode } from '@solstice/contracts'
import type { Playlist, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '@solstice/playout'
import {
  ENTRIES_PER_BLOCK,
  type EntryBlock,
  entryIdOf,
  type Head,
  type KnownBlocks,
  type KnownList,
  keysOf,
  type StoredEntry,
  serialOf,
  TRACKS_PER_BLOCK,
  type TrackDirectory,
} from './blocks.ts'

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
  keys: ReadonlySet<string>
}

/** Lays states down that follow each other. Only what is another object than in the state before is looked at. */
export interface StateWriter {
  write(state: PlayoutState): WrittenState
}

/** @param known what is in Redis already, as it was read. */
export function createStateWriter(known?: KnownBlocks): StateWriter {
  let tracks = createTrackTable(known?.tracks)
  let lists = known?.lists ?? []
  let keys = known ? keysOf(known) : new Set<string>()
  let isKnown = known !== undefined
  let checkAt = SPARE_TRACKS
  const soonOf = remembered(soonIn)
  const headOf = (state: PlayoutState) => headWith(state, soonOf(state.playlist), tracks.key, lists)

  const layDown = (all: readonly (readonly QueueEntry[])[]) => {
    const made = new Map<string, string>()
    const block = (content: unknown) => {
      const text = JSON.stringify(content)
      const key = createHash('sha256').update(text).digest('base64url').slice(0, 12)
      made.set(key, text)
      return key
    }
    const partsBefore = new Map(lists.flatMap(({ parts }) => parts.map((part) => [part.entries[0], part])))
    const listOf = (entries: readonly QueueEntry[]): KnownList => {
      const before = lists.find((list) => list.entries === entries)
      if (before) return before
      const parts = partsOf(entries, partsBefore, (fresh) => block(tracks.store(fresh)))
      return { key: block(parts.map(({ key }) => key)), parts, entries }
    }
    lists = all.map(listOf)
    return { made, tracks: tracks.known(block) }
  }

  return {
    write(state) {
      const all = [state.playlist, ...Object.values(state.prepared)].map(({ entries }) => entries)
      const isSame =
        isKnown && all.length === lists.length && all.every((one, i) => one === lists[i]!.entries)
      if (isSame) return { head: headOf(state), added: new Map(), removed: [], keys }

      let laid = layDown(all)
      if (tracks.size > checkAt) {
        checkAt =
          2 * new Set(all.flatMap((entries) => entries.map(({ track }) => track.id))).size + SPARE_TRACKS
        if (tracks.size > checkAt) {
          tracks = createTrackTable()
          lists = []
          laid = layDown(all)
        }
      }
      const before = keys
      keys = keysOf({ tracks: laid.tracks, lists })
      isKnown = true
      return {
        head: headOf(state),
        added: new Map([...laid.made].filter(([key]) => keys.has(key) && !before.has(key))),
        removed: [...before].filter((key) => !keys.has(key)),
        keys,
      }
    },
  }
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
  const soon = entries.slice(from, from + SOON + 1)
  for (let i = from + SOON + 1; i < entries.length; i++)
    if (entries[i]!.orderType !== null) soon.push(entries[i]!)
  return soon
}

/** A list in parts: those of the lists before, wherever they are still there as they were, and new ones between them. */
function partsOf(
  entries: readonly QueueEntry[],
  before: ReadonlyMap<QueueEntry | undefined, KnownList['parts'][number]>,
  store: (entries: readonly QueueEntry[]) => string,
): KnownList['parts'] {
  const parts: KnownList['parts'] = []
  const flush = (from: number, to: number) => {
    const count = Math.ceil((to - from) / ENTRIES_PER_BLOCK)
    for (let i = 0; i < count; i++) {
      const cut = (n: number) => from + Math.floor(((to - from) * n) / count)
      const fresh = entries.slice(cut(i), cut(i + 1))
      parts.push({ key: store(fresh), entries: fresh })
    }
  }
  let from = 0
  for (let at = 0; at < entries.length; ) {
    const part = before.get(entries[at])
    if (part && isAt(part.entries, entries, at)) {
      flush(from, at)
      parts.push(part)
      at += part.entries.length
      from = at
    } else at++
  }
  flush(from, entries.length)
  return parts
}

function isAt(part: readonly QueueEntry[], entries: readonly QueueEntry[], at: number): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== entries[at + i]) return false
  return true
}

/** Tracks by number. One that is another than under its last number gets a new one. */
function createTrackTable(known?: KnownBlocks['tracks']) {
  const table = known?.table ?? randomUUID().slice(0, 8)
  const tracks = known?.tracks ?? []
  const keys = known?.keys ?? []
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

  return {
    get key() {
      return key
    },
    get size() {
      return tracks.length
    },
    store(entries: readonly QueueEntry[]): EntryBlock {
      let next = -1
      const storeOne = (entry: QueueEntry): StoredEntry => {
        const track = numberOf(entry.track)
        if (!isPlain(entry)) return { ...entry, track }
        const serial = serialOf(entry.entryId)
        const isNext = serial === next
        next = serial + 1
        return isNext ? track : [serial, track]
      }
      return { table, entries: entries.map(storeOne) }
    },
    /** The last block is filled up before another is begun. */
    known(block: (content: unknown) => string): KnownBlocks['tracks'] {
      for (let i = Math.floor(stored / TRACKS_PER_BLOCK); stored < tracks.length; i++) {
        const end = Math.min(tracks.length, (i + 1) * TRACKS_PER_BLOCK)
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

/** It has nothing but a track and an id like any other entry that was generated. */
function isPlain(entry: QueueEntry): boolean {
  const { entryId, orderType, tier } = entry
  const isGenerated = orderType === null && tier === null && Object.keys(entry).length === 4
  return isGenerated && entryId === entryIdOf(serialOf(entryId))
}
