import { type Mode, modes, type Track } from '@solstice/contracts'
import type { CuePoints, TrackRef } from '@solstice/playout'
import { reconcileArtists } from '../artwork/artwork.ts'
import { fileExists } from '../core/file-exists.ts'
import { oneLine } from '../core/text.ts'
import { sortInPieces } from '../core/turns/sort-in-pieces.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import type { AudioFacts, AudioTags } from '../ports/media/audio.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** More missing files than this, and more than half of all, mean that a disk is not mounted. */
const FEW_TRACKS = 10

/** Files read at the same time and added by one write. */
const BATCH = 8

/** A track as the engine knows it; the worker adds the cue points. */
export function trackRef(track: Readonly<Track>, cuePoints?: CuePoints): TrackRef {
  const { id, title, artist, album, year, duration } = track
  return {
    id,
    title,
    artist,
    album,
    year,
    durationMs: duration === null ? null : Math.round(duration * 1000),
    ...(cuePoints && { cuePoints }),
  }
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' })
type Library = Record<Mode | 'all', readonly Readonly<Track>[]>
const sorted = new WeakMap<readonly Readonly<Track>[], Promise<Library>>()

/** The tracks of a mode, or of both, by artist and title, ignoring case. */
export async function libraryOf(
  data: Pick<DataStore, 'tracks'>,
  mode: Mode | 'all',
): Promise<readonly Readonly<Track>[]> {
  // A store returns the same array while nothing changed, so thousands of tracks are sorted once per change.
  const tracks = await data.tracks.find()
  let library = sorted.get(tracks)
  if (!library) {
    library = sortLibrary(tracks)
    sorted.set(tracks, library)
  }
  return (await library)[mode]
}

async function sortLibrary(tracks: readonly Readonly<Track>[]): Promise<Library> {
  const all = await sortInPieces(
    tracks,
    (a, b) =>
      collator.compare(a.artist, b.artist) || collator.compare(a.title, b.title) || (a.id < b.id ? -1 : 1),
  )
  const of = (mode: Mode) => all.filter((track) => track.mode === mode)
  return { all, day: of('day'), night: of('night') }
}

export interface Reconciled {
  /** Tracks added for files without a record. */
  added: number
  /** Tracks removed because their file is gone. */
  removed: number
  /** Tracks kept although their file is gone: removal was not confirmed, or a disk seems to be away. */
  missing: number
  /** True when the worker has to read the library again. */
  isChanged: boolean
}

/**
 * Reconciles the library with the disk: adds files without a record, removes records without a file if that was
 * confirmed, and updates artist records. Idempotent, and safe beside a running station.
 *
 * @param station.confirmTrackCleanup whether records without a file are removed; more than half of all only with `most`.
 * @param station.onChange called after every few added tracks, so that a large library can go on air before all of it
 * is read.
 */
export async function reconcile(station: {
  data: DataStore
  media: MediaStorage
  tags: AudioTags
  confirmTrackCleanup: boolean | 'most'
  log: Log
  onChange?: () => void
}): Promise<Reconciled> {
  const { data, media, log } = station
  const result = { added: 0, removed: 0, missing: 0 }
  const gone: Record<Mode, Set<string>> = { day: new Set(), night: new Set() }
  for (const mode of modes) {
    await media.sweep(mode)
    const files = new Set((await media.list(mode)).filter((key) => /.\.mp3$/i.test(key)))
    const tracks = await data.tracks.find({ mode })
    const ids = new Set(tracks.map((track) => track.id))
    gone[mode] = await withoutFile(media, tracks, files)
    result.added += await addFound(
      station,
      mode,
      [...files].filter((key) => !ids.has(key)),
    )
  }
  const removal = removalOf(station, gone.day.size + gone.night.size, (await data.tracks.find()).length)
  for (const mode of modes) {
    const ids = gone[mode]
    if (ids.size === 0) continue
    const details = { mode, tracks: ids.size, examples: [...ids].slice(0, 10) }
    if (removal.isDue) {
      result.removed += await data.tracks.delete((track) => ids.has(track.id))
      log.info(details, removal.text)
    } else {
      result.missing += ids.size
      log.warn(details, removal.text)
    }
  }
  await reconcileArtists(data, media)
  return { ...result, isChanged: result.added + result.removed > 0 }
}

/** Decides if tracks without a file are removed, and words the log line. */
function removalOf(
  { confirmTrackCleanup }: ReconcileDeps,
  gone: number,
  all: number,
): { isDue: boolean; text: string } {
  if (!confirmTrackCleanup)
    return { isDue: false, text: 'tracks have no file; CONFIRM_TRACK_CLEANUP=true removes them' }
  if (confirmTrackCleanup !== 'most' && gone > FEW_TRACKS && 2 * gone > all)
    return {
      isDue: false,
      text: 'more than half of the tracks have no file, so none was removed: is MEDIA_DIR there? `npm run station -- scan --remove-most` removes them',
    }
  return { isDue: true, text: 'tracks without a file were removed' }
}

type ReconcileDeps = Parameters<typeof reconcile>[0]

async function addFound(station: ReconcileDeps, mode: Mode, files: MediaKey[]): Promise<number> {
  let added = 0
  for (let at = 0; at < files.length; at += BATCH) {
    const found = await Promise.all(
      files.slice(at, at + BATCH).map((key) => trackFromFile(station, mode, key)),
    )
    const tracks = found.filter((track) => track !== null)
    const inserted = await Promise.all(tracks.map((track) => station.data.tracks.insert(track)))
    const count = inserted.filter(Boolean).length
    added += count
    if (count > 0) station.onChange?.()
  }
  return added
}

/** The track of a file; null when the file cannot be opened now. */
async function trackFromFile(station: ReconcileDeps, mode: Mode, key: MediaKey): Promise<Track | null> {
  const filename = key.slice(mode.length + 1)
  const facts = await readFacts(station, key)
  if (facts === 'closed') return null
  return {
    id: key,
    title: facts?.title ?? (oneLine(filename.slice(0, -'.mp3'.length)) || filename),
    artist: facts?.artist ?? 'Unknown Artist',
    album: facts?.album ?? 'Unknown Album',
    year: facts?.year ?? null,
    duration: facts?.duration ?? 180,
    mode,
    filename,
    storageKey: key,
  }
}

async function readFacts(station: ReconcileDeps, key: MediaKey): Promise<AudioFacts | 'closed' | null> {
  try {
    return await station.tags.read(await station.media.source(key))
  } catch (error) {
    // An error of the system says nothing about the content: the file may be read at the next start.
    const isClosed = error instanceof Error && 'code' in error
    station.log.warn({ err: error, key }, isClosed ? 'file not opened' : 'file is not readable audio')
    return isClosed ? 'closed' : null
  }
}

/** Ids of the tracks whose file is gone. Listings leave out files behind links, so those are checked one by one. */
async function withoutFile(
  media: MediaStorage,
  tracks: readonly Readonly<Track>[],
  files: Set<MediaKey>,
): Promise<Set<string>> {
  const gone = new Set<string>()
  for (const { id, storageKey } of tracks) {
    if (!files.has(storageKey) && !(await fileExists(media, storageKey))) gone.add(id)
  }
  return gone
}
