import { type JobContext, type Ports, Starved } from '@solstice/adapters'
import {
  artistsWithoutColor,
  deleteTrackCovers,
  deleteUnusedCovers,
  readArtColor,
  readCover,
  type TrackRecord,
} from '@solstice/station'

type PicturePorts = Pick<Ports, 'config' | 'data' | 'media' | 'tags' | 'pictures' | 'announcer' | 'log'>
type Run = Pick<JobContext, 'stopping' | 'progress'>

/**
 * Creates the job that looks for a cover in the file of each track that was not looked at, one by one and the newest first, finds
 * the colours of artists' images, and deletes covers that no track has. Run again, it continues where it stopped. A local
 * file that was replaced from outside is read again; each file is compared once per process.
 *
 * The job throws, to be run again, when the machine was too busy for a picture.
 */
export function createPictureReading(ports: PicturePorts): (run: Run) => Promise<void> {
  const compared = new Set<string>()
  return async (run) => {
    const { found, starved } = await readCovers(ports, run, compared)
    await readColors(ports, run.stopping)
    const deleted = await deleteUnusedCovers(ports.data, ports.media)
    if (found + deleted > 0) ports.log.info({ found, deleted }, 'covers read')
    if (found > 0) ports.announcer.announce('library_updated')
    if (starved) throw starved
  }
}

/** @returns the number of tracks for which a cover was found, and why others are still to be read. */
async function readCovers(
  ports: PicturePorts,
  run: Run,
  compared: Set<string>,
): Promise<{ found: number; starved: Starved | null }> {
  const { data, log } = ports
  const tried = new Set<string>()
  let looked: readonly Readonly<TrackRecord>[] | null = null
  let waiting: Readonly<TrackRecord>[] = []
  let found = 0
  let starved: Starved | null = null
  for (;;) {
    // Tracks added meanwhile come before those that have waited longer.
    const tracks = await data.tracks.find()
    if (tracks !== looked) waiting = await findUnread(ports, tracks, compared, tried)
    looked = tracks
    const track = waiting.shift()
    if (!track) return { found, starved }
    run.stopping.throwIfAborted()
    tried.add(track.id)
    try {
      const cover = await readCover(ports, track)
      if (cover !== 'gone') compared.add(track.id)
      if (cover !== null && cover !== 'gone') found++
    } catch (error) {
      if (error instanceof Starved) starved = error
      log.warn({ err: error, track: track.id }, 'cover could not be read')
    }
    await run.progress(tried.size, tried.size + waiting.length)
  }
}

async function findUnread(
  { config, data, media }: PicturePorts,
  tracks: readonly Readonly<TrackRecord>[],
  compared: Set<string>,
  tried: ReadonlySet<string>,
): Promise<Readonly<TrackRecord>[]> {
  const ids = new Set(tracks.map(({ id }) => id))
  await deleteTrackCovers(data, (trackId) => !ids.has(trackId))
  const known = new Map((await data.trackCovers.find()).map((one) => [one.trackId, one]))
  const unread: Readonly<TrackRecord>[] = []
  for (const track of tracks) {
    const before = known.get(track.id)
    // A bucket would need a request per file at each start.
    const isKnown = before && (compared.has(track.id) || config.mediaStorage === 'cloud')
    if (isKnown || tried.has(track.id)) continue
    const file = before && (await media.stat(track.storageKey).catch(() => null))
    const isReplaced = file && (file.size !== before.size || file.modifiedMs !== before.modifiedMs)
    if (!before || isReplaced) unread.push(track)
    else compared.add(track.id)
  }
  return unread.sort((a, b) => (b.addedAt ?? 0) - (a.addedAt ?? 0))
}

async function readColors(ports: PicturePorts, stopping: AbortSignal): Promise<void> {
  for (const record of await artistsWithoutColor(ports.data)) {
    stopping.throwIfAborted()
    await readArtColor(ports, record).catch((error) => {
      ports.log.warn({ err: error, artist: record.artist }, "artist's image could not be read")
    })
  }
}
