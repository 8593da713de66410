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

/** An address at which a file is to be had by anybody, without asking us. */
export interface MediaLink {
  url: string
  /** For how many seconds it is good. */
  ttlS: number
}

/** Files of the station. A key that would leave its place is refused with `Failure('BAD_REQUEST')`. */
export interface MediaStorage {
  stat(key: MediaKey): Promise<MediaStat | null>
  /** MD5 (hex) of a file, when the storage knows it without reading the file. */
  digest(key: MediaKey): Promise<string | null>
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
  /**
   * A path on this machine, to be opened within half a minute. Of a storage elsewhere it is a copy, fetched when there is
   * none of the file as it is now; when that storage is away the copy is good enough.
   * @throws Failure NOT_FOUND, STORAGE_URL_FAILED
   */
  source(key: MediaKey): Promise<string>
  /** Keeps a copy of these files, the most urgent first, on this machine until the next call names others. */
  prefetch(keys: readonly MediaKey[]): void
  /** The files with a copy here while the storage is away; null while it answers. */
  cachedWhileAway(): ReadonlySet<MediaKey> | null
  /**
   * Where a file is to be had for at least so many seconds; null when the files are only to be had from us.
   * @throws Failure STORAGE_URL_FAILED
   */
  link(key: MediaKey, options?: { lastsS?: number }): Promise<MediaLink | null>
  /** The origin that links lead to; null when there are none. */
  readonly linkOrigin: string | null
  close(): Promise<void>
}
