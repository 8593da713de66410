import type { Ports } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import { Failure, type MediaKey, type MediaStorage, sleep } from '@solstice/station'

/** Bounds how long the air waits for a storage that is slow or away. */
const LISTING_TIMEOUT_MS = 5_000
/** A bucket's listing costs a request for every thousand files. */
const BUCKET_LISTING_INTERVAL_MS = 5_000
/** Within this time a bucket that listed files is not listed again only to see whether it is still there. */
const PROOF_LASTS_MS = 60_000
const STATS_AT_ONCE = 32

const otherMode: Record<Mode, Mode> = { day: 'night', night: 'day' }

/** Finds the missing files of the library; a storage that is away, or has no music at all, counts as complete. */
export interface LibraryFiles {
  /** True when tracks were left out of the last library of either mode. */
  readonly areMissing: boolean
  /** Resolves when a mode may be listed again; at once when a list is being waited for. */
  turn(mode: Mode, isUrgent: boolean, signal: AbortSignal): Promise<void>
  /** Returns the tracks of a mode whose files exist; all of them when the storage cannot tell. */
  present(mode: Mode, tracks: readonly Readonly<Track>[]): Promise<readonly Readonly<Track>[]>
  /** Resolves when a file exists. @throws Failure NOT_FOUND when missing; another error when the storage cannot tell */
  find(key: MediaKey): Promise<void>
}

export function createLibraryFiles({
  config,
  media,
  log,
}: Pick<Ports, 'config' | 'media' | 'log'>): LibraryFiles {
  const isFolder = config.mediaStorage === 'local'
  const listedAtMs = new Map<Mode, number>()
  const missing = new Map<Mode, number>()
  let filesSeenAtMs = Number.NEGATIVE_INFINITY

  const list = async (mode: Mode): Promise<Set<MediaKey>> => {
    listedAtMs.set(mode, performance.now())
    const keys = await media.list(mode)
    if (keys.length > 0) filesSeenAtMs = performance.now()
    return new Set(keys)
  }

  const isThere = (key: MediaKey) => isStored(media, key)

  /** The storage is there. */
  const hasMusic = async (): Promise<boolean> => {
    if (!isFolder && performance.now() - filesSeenAtMs < PROOF_LASTS_MS) return true
    return (await list('day')).size > 0 || (await list('night')).size > 0
  }

  const withFile = async (mode: Mode, tracks: readonly Readonly<Track>[]) => {
    const listed = await list(mode)
    const unlisted = tracks.filter(({ storageKey }) => !listed.has(storageKey))
    if (unlisted.length === 0) return tracks
    if (listed.size === 0 && (await list(otherMode[mode])).size === 0) return tracks
    // The listing of a folder omits symbolic links.
    for (let at = 0; isFolder && at < unlisted.length; at += STATS_AT_ONCE) {
      const keys = unlisted.slice(at, at + STATS_AT_ONCE).map(({ storageKey }) => storageKey)
      const found = await Promise.all(keys.map(isThere))
      for (const key of keys.filter((_, i) => found[i])) listed.add(key)
    }
    return tracks.filter(({ storageKey }) => listed.has(storageKey))
  }

  return {
    get areMissing() {
      return [...missing.values()].some((count) => count > 0)
    },

    async turn(mode, isUrgent, signal) {
      const sinceMs = performance.now() - (listedAtMs.get(mode) ?? Number.NEGATIVE_INFINITY)
      const waitMs = BUCKET_LISTING_INTERVAL_MS - sinceMs
      if (!isFolder && !isUrgent && waitMs > 0) await sleep(waitMs, { signal }).catch(() => {})
    },

    async present(mode, tracks) {
      // The storage is known to be away.
      if (media.cachedWhileAway() !== null) return tracks
      try {
        const present = await inTime(withFile(mode, tracks))
        const left = tracks.length - present.length
        if (left > 0 && left !== missing.get(mode))
          log.warn({ mode, tracks: left }, 'tracks without a file left out')
        missing.set(mode, left)
        return present
      } catch (error) {
        log.warn({ err: error, mode }, 'music files could not be listed')
        missing.set(mode, 0)
        return tracks
      }
    },

    async find(key) {
      if (await isThere(key)) return
      if (await hasMusic()) throw new Failure('NOT_FOUND')
      throw new Error('the media storage has no music at all')
    },
  }
}

/** @throws when the storage cannot tell */
async function isStored(media: Pick<MediaStorage, 'stat'>, key: MediaKey): Promise<boolean> {
  try {
    return (await media.stat(key)) !== null
  } catch (error) {
    // A refused key leads out of the storage, so the file is not ours.
    if (error instanceof Failure && error.code === 'BAD_REQUEST') return false
    throw error
  }
}

/** @throws when it takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const timeout = sleep(LISTING_TIMEOUT_MS, { signal: over.signal }).then(() => {
    throw new Error(`no answer from the media storage within ${LISTING_TIMEOUT_MS} ms`)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    over.abort()
    timeout.catch(() => {})
    work.catch(() => {})
  }
}
