import { rm } from 'node:fs/promises'
import type { Log, MediaKey } from '@solstice/station'

/** The file on air, the next ones, and some that were played last. */
const MAX_CACHED_FILES = 12
const MAX_CACHED_BYTES = 1024 * 1024 * 1024

/** A copy on disk. */
export interface CachedFile {
  /** null once it is outdated: it stays only for those who were given its path. */
  key: MediaKey | null
  path: string
  version: string
  bytes: number
  usedAtMs: number
}

/**
 * The files of a cache, evicted least recently used first.
 *
 * @param pathValidMs how long a file stays after its path was given out.
 * @param isWanted files that are never evicted.
 */
export class CachedFiles {
  readonly #files = new Set<CachedFile>()
  readonly #pathValidMs: number
  readonly #isWanted: (key: MediaKey) => boolean
  readonly #log: Log

  constructor(pathValidMs: number, isWanted: (key: MediaKey) => boolean, log: Log) {
    this.#pathValidMs = pathValidMs
    this.#isWanted = isWanted
    this.#log = log
  }

  find(key: MediaKey): CachedFile | undefined {
    return [...this.#files].find((file) => file.key === key)
  }

  keys(): MediaKey[] {
    return [...this.#files].flatMap(({ key }) => key ?? [])
  }

  add(key: MediaKey, path: string, version: string, bytes: number): CachedFile {
    this.invalidate(key)
    const file: CachedFile = { key, path, version, bytes, usedAtMs: performance.now() }
    this.#files.add(file)
    this.evict()
    // Files beyond the limits go as soon as their path is no longer valid.
    setTimeout(() => this.evict(), this.#pathValidMs + 1).unref()
    return file
  }

  invalidate(key: MediaKey): void {
    const file = this.find(key)
    if (file) file.key = null
  }

  /** Removes outdated files and those beyond the limits; on a full disk, all that nobody wants. */
  evict({ isDiskFull = false } = {}): void {
    for (const file of this.#evictable()) {
      if (!isDiskFull && file.key !== null && this.#isWithinLimits()) return
      this.#files.delete(file)
      rm(file.path, { force: true }).catch((error) =>
        this.#log.warn({ err: error }, 'cached file could not be removed'),
      )
    }
  }

  /** Outdated files first, then by last use. */
  #evictable(): CachedFile[] {
    const validSinceMs = performance.now() - this.#pathValidMs
    return [...this.#files]
      .filter(({ key, usedAtMs }) => usedAtMs < validSinceMs && (key === null || !this.#isWanted(key)))
      .sort((a, b) => Number(a.key !== null) - Number(b.key !== null) || a.usedAtMs - b.usedAtMs)
  }

  #isWithinLimits(): boolean {
    const bytes = [...this.#files].reduce((sum, file) => sum + file.bytes, 0)
    return this.#files.size <= MAX_CACHED_FILES && bytes <= MAX_CACHED_BYTES
  }
}
