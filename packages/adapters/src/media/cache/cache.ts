import { setMaxListeners } from 'node:events'
import { existsSync } from 'node:fs'
import {
  Failure,
  type Log,
  type MediaKey,
  type MediaStorage,
  timeLimit,
  withFirstOf,
} from '@solstice/station'
import { isNotFound } from '../not-found.ts'
import { trackAvailability } from './availability.ts'
import { makeCacheFolder } from './cache-folder.ts'
import { type CachedFile, CachedFiles } from './cached-files.ts'
import { createPrefetcher, pauseBefore } from './prefetcher.ts'
import { createTransfers, type RemoteFiles, type Transfers } from './transfers.ts'

/** Time for a caller to open a path that it was given. */
const PATH_VALID_MS = 30_000
/** Playback must not wait for a slow storage when there is a copy. */
const COMPARE_TIMEOUT_MS = 1_500
const PATIENCE_MS = 8_000

/** Copies, in a temporary folder, of files in a remote storage. The folder is removed with the process. */
export interface MediaCache
  extends Pick<MediaStorage, 'source' | 'prefetch' | 'cachedWhileAway'>,
    Pick<Transfers, 'invalidate' | 'writeThrough'> {
  readonly folder: string
  close(): Promise<void>
}

/**
 * @param options.patienceMs how long the storage may fail, or be slow, until it counts as away.
 * @param options.pathValidMs how long a returned path stays valid.
 */
export async function openMediaCache(
  remote: RemoteFiles,
  log: Log,
  { patienceMs = PATIENCE_MS, pathValidMs = PATH_VALID_MS } = {},
): Promise<MediaCache> {
  const folder = await makeCacheFolder()
  const closing = new AbortController()
  const { signal } = closing
  // Any number of uploads listens for its end.
  setMaxListeners(0, signal)
  const availability = trackAvailability(patienceMs, log)
  const files = new CachedFiles(pathValidMs, (key) => prefetcher.wants(key), log)
  const transfers = createTransfers(remote, folder, files, availability, { patienceMs, signal })
  const isCached = (key: MediaKey) => files.find(key) !== undefined
  const prefetcher = createPrefetcher(transfers, availability, isCached, log, signal)
  /** The prefetcher notices when the storage is back, so nobody else needs to try. */
  const isKnownAway = () => availability.isAway() && prefetcher.isRunning()

  async function isCurrent({ version, path }: CachedFile, key: MediaKey): Promise<boolean> {
    // Systems clean up their temporary folders.
    if (!existsSync(path)) return false
    if (isKnownAway()) return true
    try {
      const current = await withFirstOf([signal, timeLimit(COMPARE_TIMEOUT_MS)], (first) =>
        remote.version(key, first),
      )
      availability.succeeded()
      if (current === null) transfers.invalidate(key)
      return current === version
    } catch {
      return true
    }
  }

  /** Retries until the storage counts as away. */
  async function fetchPatiently(key: MediaKey): Promise<CachedFile> {
    for (let attempt = 0; ; attempt++) {
      if (isKnownAway()) throw new Failure('STORAGE_URL_FAILED')
      try {
        return await transfers.fetch(key)
      } catch (error) {
        if (isNotFound(error) || availability.isAway() || signal.aborted) throw error
        await pauseBefore(attempt, signal)
      }
    }
  }

  return {
    folder: folder.path,
    invalidate: transfers.invalidate,
    writeThrough: transfers.writeThrough,

    async source(key) {
      const known = files.find(key)
      if (known) known.usedAtMs = performance.now()
      const file = known && (await isCurrent(known, key)) ? known : await fetchPatiently(key)
      file.usedAtMs = performance.now()
      return file.path
    },

    prefetch: prefetcher.prefetch,
    cachedWhileAway: () => (availability.isAway() ? new Set(files.keys()) : null),

    async close() {
      closing.abort()
      await Promise.all([prefetcher.settled(), transfers.settled()])
      await folder.remove()
    },
  }
}
