import type { Readable } from 'node:stream'

/**
 * The name of a file. Keys use `/`: music `<mode>/<file>` (the track id), artwork `arts/<artist>.jpg`, covers
 * `covers/<id>.<size>.webp`, clips
 * `<jingles|phrases|background>/<mode>/<file>`, uploads that wait for their commit `.staged/<folder>/<file>`.
 */
export type MediaKey = string

export interface MediaStat {
  size: number
  modifiedMs: number
}

/** A signed address from which anyone can download a file without the API. */
export interface MediaLink {
  url: string
  /** Seconds until it expires. */
  ttlS: number
}

/** The station's files. A key that leads out of its folder is refused with `Failure('BAD_REQUEST')`. */
export interface MediaStorage {
  /** Reads size and modification time; null when there is no such file. */
  stat(key: MediaKey): Promise<MediaStat | null>
  /** Returns the MD5 (hex) of a file; null unless the storage knows it without reading the file. */
  digest(key: MediaKey): Promise<string | null>
  /** Opens the bytes from `start` to `end` (inclusive), or the whole file. @throws Failure NOT_FOUND */
  open(key: MediaKey, range?: { start: number; end: number }): Promise<Readable>
  /** Writes or replaces a file in one step: readers see the whole file or none of it. */
  put(key: MediaKey, content: Readable | Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Gives a file a second name; false, with nothing changed, when that name is taken. @throws Failure NOT_FOUND */
  copy(from: MediaKey, to: MediaKey): Promise<boolean>
  /** True when a file of this many bytes fits and leaves the reserve for everything else on the disk free. */
  hasRoomFor(bytes: number): Promise<boolean>
  /** Deletes a file; deleting an absent one succeeds. */
  delete(key: MediaKey): Promise<void>
  /** Lists the keys of the files directly in a folder such as `day` or `arts`, sorted, without hidden files. */
  list(folder: string): Promise<MediaKey[]>
  /** Removes leftovers of killed processes directly in a folder, but no file that may still be being written. */
  sweep(folder: string): Promise<void>
  /**
   * Returns a path on this machine, to be opened within half a minute. For remote storage it is a cached copy, downloaded
   * unless the cache holds the current version; while the storage is away any cached version is returned.
   * @throws Failure NOT_FOUND, STORAGE_URL_FAILED
   */
  source(key: MediaKey): Promise<string>
  /** Keeps copies of these files on this machine, most urgent first; replaces the list of the previous call. */
  prefetch(keys: readonly MediaKey[]): void
  /** Lists the files that can be read while the storage is away; null while the storage answers. */
  cachedWhileAway(): ReadonlySet<MediaKey> | null
  /**
   * Signs a link that stays valid for at least `lastsS` seconds; null when only the API serves files.
   * @throws Failure STORAGE_URL_FAILED
   */
  link(key: MediaKey, options?: { lastsS?: number }): Promise<MediaLink | null>
  /** The origin of all links; null when there are none. */
  readonly linkOrigin: string | null
  close(): Promise<void>
}
