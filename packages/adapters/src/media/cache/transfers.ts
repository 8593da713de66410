import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, type MediaKey } from '@solstice/station'
import { isNotFound } from '../not-found.ts'
import type { Availability } from './availability.ts'
import type { CacheFolder } from './cache-folder.ts'
import type { CachedFile, CachedFiles } from './cached-files.ts'

/** A slower file would be late again and again, which is no better than none. */
const MIN_BYTES_PER_S = 32 * 1024

/** A file as its storage hands it out; `version` changes whenever the content does. */
export interface Original {
  version: string
  size: number
  content: Readable
}

/** The storage that is cached. Both methods retry for a moment by themselves before they throw a Failure. */
export interface RemoteFiles {
  read(key: MediaKey, signal: AbortSignal): Promise<Original>
  /** The current version; null when the file is gone. */
  version(key: MediaKey, signal: AbortSignal): Promise<string | null>
}

/** Brings files into a cache. */
export interface Transfers {
  /** Downloads a file, or joins the download that is under way. */
  fetch(key: MediaKey): Promise<CachedFile>
  /**
   * Writes `content` to disk, has `upload` store it and return its version, and keeps it as a copy. When either throws,
   * nothing is left in the cache.
   */
  writeThrough(
    key: MediaKey,
    content: AsyncIterable<Uint8Array>,
    upload: (path: string) => Promise<string>,
  ): Promise<void>
  /** Outdates the copy of a file, and has a download that is under way start again. */
  invalidate(key: MediaKey): void
  /** Resolves when the downloads that are under way have ended. */
  settled(): Promise<void>
}

/** @param patienceMs how long a download may take to get going before it has to keep up a minimum speed. */
export function createTransfers(
  remote: RemoteFiles,
  folder: CacheFolder,
  files: CachedFiles,
  availability: Availability,
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Transfers {
  const running = new Map<MediaKey, { file: Promise<CachedFile>; isOutdated: boolean }>()

  async function download(key: MediaKey): Promise<CachedFile> {
    const startedMs = performance.now()
    const path = await folder.newPath(key)
    try {
      let original: Original
      do {
        const run = running.get(key)
        if (run) run.isOutdated = false
        original = await remote.read(key, signal)
        await pipeline(atMinimumSpeed(original, patienceMs), createWriteStream(path), { signal })
      } while (running.get(key)?.isOutdated)
      availability.succeeded()
      return files.add(key, path, original.version, original.size)
    } catch (error) {
      await discard(path, error)
      if (isNotFound(error)) availability.succeeded()
      else availability.failed(key, startedMs)
      throw error
    }
  }

  function invalidate(key: MediaKey): void {
    const run = running.get(key)
    if (run) run.isOutdated = true
    files.invalidate(key)
  }

  /** Removes a file that was not written to its end, and makes room if the disk is full. */
  async function discard(path: string, why: unknown): Promise<void> {
    await rm(path, { force: true }).catch(() => {})
    if ((why as NodeJS.ErrnoException).code === 'ENOSPC') files.evict({ isDiskFull: true })
  }

  return {
    fetch(key) {
      const known = running.get(key)
      if (known) return known.file
      const file = download(key).finally(() => running.delete(key))
      running.set(key, { file, isOutdated: false })
      return file
    },
    async writeThrough(key, content, upload) {
      const path = await folder.newPath(key)
      try {
        await pipeline(content, createWriteStream(path), { signal })
        const { size } = await stat(path)
        const version = await upload(path)
        invalidate(key)
        files.add(key, path, version, size)
      } catch (error) {
        invalidate(key)
        await discard(path, error)
        throw error
      }
    },
    invalidate,
    async settled() {
      await Promise.allSettled([...running.values()].map(({ file }) => file))
    },
  }
}

/** @throws Failure STORAGE_URL_FAILED once the content falls behind the minimum speed. */
async function* atMinimumSpeed({ content, size }: Original, patienceMs: number): AsyncGenerator<Uint8Array> {
  const startedMs = performance.now()
  let bytes = 0
  for await (const piece of content as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    const countedMs = performance.now() - startedMs - patienceMs
    if (bytes < Math.min(size, (countedMs / 1000) * MIN_BYTES_PER_S)) {
      const cause = new Error('the media storage is too slow')
      throw new Failure('STORAGE_URL_FAILED', {}, { cause })
    }
    yield piece
  }
}
