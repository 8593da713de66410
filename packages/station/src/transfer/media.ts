import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { COVER_FOLDER, coverFiles } from '../artwork/covers.ts'
import { clipFamilies, clipMedia } from '../clips/clips.ts'
import { fileExists } from '../core/file-exists.ts'
import { stagedKey } from '../intake/staging.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** After more failures than this the copy gives up. */
const MAX_FAILURES = 10

const homes = ['', ...Object.values(clipFamilies).map(({ folder }) => `${folder}/`)]
const heard = homes.flatMap((home) => [`${home}day`, `${home}night`])

/** All folders with files of the station. */
export const mediaFolders: readonly string[] = [...heard, 'arts', COVER_FOLDER, ...heard.map(stagedKey)]

/** All files of the station. */
export async function listMedia(media: MediaStorage): Promise<MediaKey[]> {
  const found: MediaKey[] = []
  for (const folder of mediaFolders) found.push(...(await media.list(folder)))
  return found
}

/** The files that records refer to, by kind. */
export async function filesOfRecords(
  data: Pick<DataStore, 'tracks' | 'clips' | 'artists' | 'covers'>,
): Promise<Record<'tracks' | 'clips' | 'arts' | 'covers', MediaKey[]>> {
  const [tracks, clips, artists, covers] = await Promise.all([
    data.tracks.find(),
    data.clips.find(),
    data.artists.find({ hasArt: true }),
    data.covers.find(),
  ])
  return {
    tracks: tracks.map(({ storageKey }) => storageKey),
    clips: clips.map(clipMedia),
    arts: artists.map(({ artFileName }) => `arts/${artFileName}`),
    covers: covers.flatMap(coverFiles),
  }
}

/** Those of `wanted` that do not exist. Files missing in the listing `present` are checked one by one. */
export async function missingFiles(
  media: MediaStorage,
  wanted: readonly MediaKey[],
  present: ReadonlySet<MediaKey>,
): Promise<MediaKey[]> {
  const missing: MediaKey[] = []
  for (const key of wanted) if (!present.has(key) && !(await fileExists(media, key))) missing.push(key)
  return missing
}

export interface MediaCopied {
  copied: number
  /** Files that existed already. */
  kept: number
  /** Copied bytes. */
  bytes: number
  failed: { key: MediaKey; why: unknown }[]
}

/**
 * Copies files that another storage lacks, or has another version of; never deletes anything. Resumable. A file counts as
 * the same with equal size and MD5 or, where no storage knows the MD5, when it was written after the original.
 *
 * @param to null = an empty storage, for a dry run.
 * @param run.parallel files copied at the same time.
 * @param run.isDryRun reports what would be copied, and copies nothing.
 * @throws the signal's reason; the error of a storage after too many failures.
 */
export async function copyMedia(
  from: MediaStorage,
  to: MediaStorage | null,
  keys: readonly MediaKey[],
  run: {
    parallel: number
    isDryRun: boolean
    signal: AbortSignal
    onFile(key: MediaKey, isCopied: boolean): void
  },
): Promise<MediaCopied> {
  const result: MediaCopied = { copied: 0, kept: 0, bytes: 0, failed: [] }
  const waiting = keys.values()
  const breakOff = new AbortController()
  const signal = AbortSignal.any([run.signal, breakOff.signal])

  const work = async () => {
    for (const key of waiting) {
      signal.throwIfAborted()
      try {
        const bytes = await copyFile(from, to, key, run.isDryRun, signal)
        if (bytes === null) result.kept++
        else {
          result.copied++
          result.bytes += bytes
        }
        run.onFile(key, bytes !== null)
      } catch (why) {
        signal.throwIfAborted()
        if (result.failed.push({ key, why }) > MAX_FAILURES) breakOff.abort(why)
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: run.parallel }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return result
}

/** @returns the copied bytes; null when there was no need. @throws when the file changed meanwhile. */
async function copyFile(
  from: MediaStorage,
  to: MediaStorage | null,
  key: MediaKey,
  isDryRun: boolean,
  signal: AbortSignal,
): Promise<number | null> {
  const original = await from.stat(key)
  // It was deleted since the listing.
  if (!original || (to && (await isSame(from, to, key)))) return null
  if (isDryRun || !to) return original.size

  const hash = createHash('md5')
  let bytes = 0
  const content = addAbortSignal(signal, await from.open(key))
  const pieces = async function* () {
    for await (const piece of content as AsyncIterable<Buffer>) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  await to.put(key, pieces())
  const [written, digest] = [await to.stat(key), await to.digest(key)]
  const isWhole = bytes === original.size && written?.size === bytes
  if (!isWhole || (digest !== null && digest !== hash.digest('hex')))
    throw new Error('the file changed while it was copied')
  return bytes
}

async function isSame(from: MediaStorage, to: MediaStorage, key: MediaKey): Promise<boolean> {
  const [original, copy] = [await from.stat(key), await to.stat(key)]
  if (!original || !copy || original.size !== copy.size) return false
  const [one, other] = await Promise.all([from.digest(key), to.digest(key)])
  if (one === null && other === null) return copy.modifiedMs >= original.modifiedMs
  return (one ?? (await md5Of(from, key))) === (other ?? (await md5Of(to, key)))
}

async function md5Of(media: MediaStorage, key: MediaKey): Promise<string> {
  const hash = createHash('md5')
  for await (const piece of (await media.open(key)) as AsyncIterable<Buffer>) hash.update(piece)
  return hash.digest('hex')
}
