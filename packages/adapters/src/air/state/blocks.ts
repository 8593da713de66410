import type { Mode } from '@solstice/contracts'
import type { PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '@solstice/playout'

/**
 * How a state is laid down: as a small *head*, and *blocks*, which are written once under a key made of their text. The head is
 * a state by itself, whose list is what comes next; `blocks` says where the whole lists are. So a change costs the head and the
 * few blocks that it touches, however long the lists are; and where blocks were lost, the head still goes on.
 */
export interface Head extends PlayoutState {
  blocks?: {
    /** Key of the directory of all tracks in the lists. */
    tracks: string
    playlist: { index: number; entries: string }
    /** `entries`: the key of the list's directory. */
    prepared: Partial<Record<Mode, Omit<PreparedPlaylist, 'entries'> & { entries: string }>>
  }
}

/** The tracks of all lists, which entries name by their number; only what is behind the last one is ever added to it. */
export interface TrackDirectory {
  /** Another one when tracks are numbered anew. */
  table: string
  /** Keys of blocks of `TRACKS_PER_BLOCK` tracks. */
  keys: string[]
}

export const TRACKS_PER_BLOCK = 100

/** A part of a list; that of a list's directory is its keys, in order. */
export interface EntryBlock {
  table: string
  entries: StoredEntry[]
}

/** A number of a track: nobody asked for it, and its id follows that of the entry before; else with the number of its id. */
export type StoredEntry =
  | number
  | [serial: number, track: number]
  | (Omit<QueueEntry, 'track'> & { track: number })

export const ENTRIES_PER_BLOCK = 256

/** The number in the id of an entry. */
export const serialOf = (entryId: string) => Number(entryId.slice(1))
export const entryIdOf = (serial: number) => `e${serial}`

/** Blocks that are in Redis, and what they mean. */
export interface KnownBlocks {
  tracks: { table: string; key: string; keys: string[]; tracks: TrackRef[] }
  lists: KnownList[]
}

export interface KnownList {
  key: string
  parts: KnownPart[]
  /** All of its parts. */
  entries: readonly QueueEntry[]
}

export interface KnownPart {
  key: string
  entries: readonly QueueEntry[]
  /** The same as they are stored, where this process has stored them. */
  stored?: readonly StoredEntry[]
}
