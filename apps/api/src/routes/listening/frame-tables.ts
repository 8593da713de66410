import { placeFrames } from '@solstice/adapters'
import { Failure, limitConcurrency, type MediaKey, type MediaStorage } from '@solstice/station'

/** About 2.6 s of sound: a client reads half of it in vain. */
export const FRAMES_PER_ENTRY = 100
/** All who join late ask for the same few tracks. */
const MAX_KEPT = 200
const MAX_WAITING = 50

/**
 * Tells where the frames of stored files lie (see `placeFrames`). Files are read one after another, and what is found is kept for those
 * asked for last. Nothing is told of files in a bucket, which would have to be fetched for that.
 *
 * @throws Failure TRACK_NOT_FOUND, RATE_LIMITED when too many wait.
 */
export function createFrameTables(
  media: Pick<MediaStorage, 'stat' | 'source' | 'linkOrigin'>,
): (key: MediaKey) => Promise<readonly number[]> {
  const kept = new Map<string, Promise<readonly number[]>>()
  const inTurn = limitConcurrency(1, { maxWaiting: MAX_WAITING, refusal: () => new Failure('RATE_LIMITED') })

  const place = async (key: MediaKey) => {
    try {
      return await placeFrames(await media.source(key), FRAMES_PER_ENTRY)
    } catch (error) {
      // Deleted while it waited for its turn, or was read.
      throw (await media.stat(key)) ? error : new Failure('TRACK_NOT_FOUND')
    }
  }

  function read(key: MediaKey, version: string): Promise<readonly number[]> {
    const reading = inTurn(() => place(key))
    kept.set(version, reading)
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break
      kept.delete(oldest)
    }
    reading.catch(() => kept.delete(version))
    return reading
  }

  return async (key) => {
    if (media.linkOrigin !== null) return []
    const stat = await media.stat(key)
    if (!stat) throw new Failure('TRACK_NOT_FOUND')
    const version = `${stat.size} ${stat.modifiedMs} ${key}`
    return kept.get(version) ?? read(key, version)
  }
}
