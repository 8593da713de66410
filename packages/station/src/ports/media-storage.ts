import type { Readable } from 'node:stream'

/**
 * Where a file lies. Keys use `/`: music `<mode>/<file>` (the track id), artwork `arts/<artist>.jpg`, clips
 * `<jingles|phrases|background>/<mode>/<file>`, uploads that wait for their commit `.staged/<folder>/<file>`.
 */
export type MediaKey = string

export interface MediaStat {
  size: number
  modifiedMs: number
}

/** Files of the station. A key that would leave its place is refused with `Failure('BAD_REQUEST')`. */
export interface MediaStorage {
  stat(key: MediaKey): Promise<MediaStat | null>
  /** Bytes `start` to `end` (inclusive) or all. @throws Failure NOT_FOUND */
  open(key: MediaKey, range?: { start: number; end: number }): Promise<Readable>
  /** Puts a new file in one step: a reader finds all of it or nothing. Replaces what is there. */
  put(key: MediaKey, content: Readable | Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Gives a file a second name. False, and nothing is touched, when that name is taken. @throws Failure NOT_FOUND */
  copy(from: MediaKey, to: MediaKey): Promise<boolean>
  /** Whether a file of this many bytes fits, with some room to spare for the others. */
  hasRoomFor(bytes: number): Promise<boolean>
  /** Deleting what is not there does no harm. */
  delete(key: MediaKey): Promise<void>
  /** Keys of the files directly under a folder such as `day` or `arts`, in order; hidden files are left out. */
  list(folder: string): Promise<MediaKey[]>
  /** Removes what `put`s left directly under a folder when their process was killed; not what may still be written. */
  sweep(folder: string): Promise<void>
  /** A path or address that ffmpeg can open. @throws Failure NOT_FOUND */
  source(key: MediaKey): Promise<string>
}
