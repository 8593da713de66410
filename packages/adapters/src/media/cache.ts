import { setMaxListeners } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, type Log, type MediaKey, sleep } from '@solstice/station'

/** Copies that are kept: what is heard, what comes next, and some that were heard last. */
const MOST_FILES = 12
const MOST_BYTES = 1024 * 1024 * 1024
/** Of what is to be at hand so much is kept at most. */
const MOST_WANTED = 8
/** Who was given a path may take so long to open it. */
const OPENED_WITHIN_MS = 30_000
/** A copy is compared with the file for so long; then it is good enough. */
const COMPARED_WITHIN_MS = 1_500
const PATIENCE_MS = 8_000
/** A file that comes more slowly, once the patience is over, is as good as none: it would be late again and again. */
const SLOWEST_BYTES_PER_S = 32 * 1024
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const FOLDER = 'solstice-media-'
/** A folder in which nothing was put for so long is of nobody when its process is not seen. */
const LEFT_OVER_MS = 60 * 60 * 1000
/** Folders that this process has put copies in. */
const ownFolders = new Set<string>()

/** A file as its storage gives it out. `version` is another one when the content is. */
export interface Original {
  version: string
  size: number
  content: Readable
}

/** Copies, in a temporary folder, of files that lie elsewhere. The folder goes with the process. */
export interface MediaCache {
  readonly folder: string
  /** As `MediaStorage` says. */
  source(key: MediaKey): Promise<string>
  prefetch(keys: readonly MediaKey[]): void
  cachedWhileAway(): ReadonlySet<MediaKey> | null
  /** The file is another one now. */
  forget(key: MediaKey): void
  /**
   * Takes in what a file is to hold, lets `send` bring it to the storage and tell its version, and keeps it as a copy.
   * Nothing is left when one of them throws.
   */
  passOn(
    key: MediaKey,
    content: AsyncIterable<Uint8Array>,
    send: (path: string) => Promise<string>,
  ): Promise<void>
  close(): Promise<void>
}

interface Copy {
  /** null = nobody gets it any more. */
  key: MediaKey | null
  path: string
  version: string
  bytes: number
  usedAtMs: number
}

/**
 * @param storage.read all of a file; `version` what the file is now, or null when it is gone. Both try again by
 *   themselves for a moment, and throw Failure when that was of no use.
 * @param options.patienceMs so long the storage may be away, or slow, until nothing more is expected from it.
 * @param options.openedWithinMs so long a path is good.
 */
export async function openMediaCache(
  storage: {
    read(key: MediaKey, signal: AbortSignal): Promise<Original>
    version(key: MediaKey, signal: AbortSignal): Promise<string | null>
  },
  log: Log,
  { patienceMs = PATIENCE_MS, openedWithinMs = OPENED_WITHIN_MS } = {},
): Promise<MediaCache> {
  await removeLeftOver()
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`))
  ownFolders.add(folder)
  const closing = new AbortController()
  // Any number of uploads ends with it.
  setMaxListeners(0, closing.signal)
  const copies = new Set<Copy>()
  const fetching = new Map<MediaKey, Promise<Copy>>()
  const forgotten = new Map<MediaKey, number>()
  let serial = 0
  let wanted: readonly MediaKey[] = []
  let keeping: Promise<void> | null = null
  /** What could not be fetched, and since when that is so; null = the storage is there. */
  let away: { key: MediaKey; sinceMs: number } | null = null

  const copyOf = (key: MediaKey) => [...copies].find((copy) => copy.key === key)
  const isAway = () => away !== null && performance.now() - away.sinceMs >= patienceMs
  const came = () => {
    if (isAway()) log.info({}, 'the media storage is back')
    away = null
  }

  function forget(key: MediaKey) {
    if (fetching.has(key)) forgotten.set(key, (forgotten.get(key) ?? 0) + 1)
    const copy = copyOf(key)
    if (copy) copy.key = null
  }

  /** Removes copies that are too many; on a disk that is full all that are not needed soon. */
  function makeRoom(isDiskFull = false) {
    const bytes = () => [...copies].reduce((sum, copy) => sum + copy.bytes, 0)
    const openedMs = performance.now() - openedWithinMs
    const needless = [...copies]
      .filter(({ key, usedAtMs }) => usedAtMs < openedMs && (key === null || !wanted.includes(key)))
      .sort((a, b) => Number(a.key !== null) - Number(b.key !== null) || a.usedAtMs - b.usedAtMs)
    for (const copy of needless) {
      const isKept = copy.key !== null && copies.size <= MOST_FILES && bytes() <= MOST_BYTES
      if (isKept && !isDiskFull) return
      copies.delete(copy)
      rm(copy.path, { force: true }).catch((error) => log.warn({ err: error }, 'a copy could not be removed'))
    }
  }

  /** Only once at a time for each file. */
  function fetch(key: MediaKey): Promise<Copy> {
    let fetched = fetching.get(key)
    if (!fetched) {
      fetched = download(key).finally(() => {
        fetching.delete(key)
        forgotten.delete(key)
      })
      fetching.set(key, fetched)
    }
    return fetched
  }

  const newPath = async (key: MediaKey) => {
    await mkdir(folder, { recursive: true })
    return join(folder, `${serial++}${extname(key)}`)
  }

  function add(key: MediaKey, path: string, version: string, bytes: number): Copy {
    forget(key)
    const copy: Copy = { key, path, version, bytes, usedAtMs: performance.now() }
    copies.add(copy)
    makeRoom()
    // What is here only to be opened goes when it was.
    setTimeout(makeRoom, openedWithinMs + 1).unref()
    return copy
  }

  /** What was written of a copy that comes to nothing. */
  async function discard(path: string, why: unknown) {
    await rm(path, { force: true }).catch(() => {})
    if ((why as NodeJS.ErrnoException).code === 'ENOSPC') makeRoom(true)
  }

  async function download(key: MediaKey): Promise<Copy> {
    const beganMs = performance.now()
    const path = await newPath(key)
    try {
      let original: Original
      let before: number | undefined
      do {
        before = forgotten.get(key)
        original = await storage.read(key, closing.signal)
        const pieces = inTime(original, patienceMs)
        await pipeline(pieces, createWriteStream(path), { signal: closing.signal })
      } while (forgotten.get(key) !== before)
      came()
      return add(key, path, original.version, original.size)
    } catch (error) {
      await discard(path, error)
      if (isAbsent(error)) came()
      else away ??= { key, sinceMs: beganMs }
      throw error
    }
  }

  /** Tries for as long as the storage is worth waiting for. */
  async function fetchPatiently(key: MediaKey): Promise<Copy> {
    for (let attempt = 0; ; attempt++) {
      // Somebody asks it again and again anyway.
      if (isAway() && keeping) throw new Failure('STORAGE_URL_FAILED')
      try {
        return await fetch(key)
      } catch (error) {
        if (isAbsent(error) || isAway() || closing.signal.aborted) throw error
        await pause(attempt)
      }
    }
  }

  async function isCurrent({ version, path }: Copy, key: MediaKey): Promise<boolean> {
    // Systems clean their temporary folders.
    if (!existsSync(path)) return false
    if (isAway() && keeping) return true
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(COMPARED_WITHIN_MS)])
      const now = await storage.version(key, signal)
      came()
      if (now === null) forget(key)
      return now === version
    } catch {
      return true
    }
  }

  const pause = (attempt: number) => {
    const fullMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
    return sleep(fullMs * (0.5 + Math.random() / 2), { signal: closing.signal })
  }

  async function keep(): Promise<void> {
    const absent = new Set<MediaKey>()
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      let isComplete = true
      for (const key of wanted) {
        if (copyOf(key) || absent.has(key)) continue
        try {
          await fetch(key)
          attempt = 0
        } catch (error) {
          if (isAbsent(error)) absent.add(key)
          else isComplete = false
          if (attempt === 0) log.warn({ err: error, key }, 'a file could not be fetched ahead')
        }
      }
      if (isComplete && away) isComplete = await isBack(away.key)
      if (isComplete && wanted.every((key) => copyOf(key) || absent.has(key))) return
      await pause(attempt).catch(() => {})
    }
  }

  /** Also asked when all that is wanted is here: others wait for the answer. One that is slow answers, and gives nothing. */
  async function isBack(key: MediaKey): Promise<boolean> {
    await fetch(key).catch(() => {})
    return away === null
  }

  return {
    folder,
    forget,

    async passOn(key, content, send) {
      const path = await newPath(key)
      try {
        await pipeline(content, createWriteStream(path), { signal: closing.signal })
        const { size } = await stat(path)
        add(key, path, await send(path), size)
      } catch (error) {
        forget(key)
        await discard(path, error)
        throw error
      }
    },

    async source(key) {
      const copy = copyOf(key)
      if (copy) copy.usedAtMs = performance.now()
      const found = copy && (await isCurrent(copy, key)) ? copy : await fetchPatiently(key)
      found.usedAtMs = performance.now()
      return found.path
    },

    prefetch(keys) {
      wanted = [...new Set(keys)].slice(0, MOST_WANTED)
      if (wanted.every(copyOf) && !away) return
      keeping ??= keep().finally(() => {
        keeping = null
      })
    },

    cachedWhileAway: () => (isAway() ? new Set([...copies].flatMap(({ key }) => key ?? [])) : null),

    async close() {
      closing.abort()
      await Promise.allSettled([keeping, ...fetching.values()])
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      ownFolders.delete(folder)
    },
  }
}

/** Passes on what comes. @throws Failure STORAGE_URL_FAILED when it comes too slowly, once it has had so long to begin. */
async function* inTime({ content, size }: Original, patienceMs: number): AsyncGenerator<Uint8Array> {
  const beganMs = performance.now()
  let bytes = 0
  for await (const piece of content as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    const lateMs = performance.now() - beganMs - patienceMs
    if (bytes < Math.min(size, (lateMs / 1000) * SLOWEST_BYTES_PER_S)) {
      const cause = new Error('the media storage is too slow')
      throw new Failure('STORAGE_URL_FAILED', {}, { cause })
    }
    yield piece
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Failure && error.code === 'NOT_FOUND'
}

/**
 * Removes the folders of processes that are no more. What is young may be of a process that cannot be seen from here. In a
 * container that starts again the process before often had the number of this one.
 */
async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^solstice-media-(\d+)-/.exec(name)?.[1] ?? 0)
    const path = join(tmpdir(), name)
    if (pid === 0 || ownFolders.has(path) || (pid !== process.pid && isRunning(pid))) continue
    const isOld = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > LEFT_OVER_MS,
      () => false,
    )
    if (isOld) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
