import type { Ports } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import {
  type AllCuePoints,
  type FactOf,
  isCurrent,
  type MadePlaylist,
  makePlaylist,
  noteTracks,
  PIECE,
  type Pieces,
  sameCuePoints,
  type TrackRef,
  wantedPlaylists,
} from '@solstice/playout'
import {
  cuePointsByTrack,
  libraryOf,
  type MediaKey,
  noCuePoints,
  rotationSettings,
  serialise,
  sleep,
  trackRef,
  withBreaks,
} from '@solstice/station'
import type { Air } from '../air/air.ts'
import { createLibraryFiles } from './library-files.ts'
import type { SecondChance } from './second-chance.ts'

const RETRY_MS = 1_000
/** After that the playlist is made at once, whatever waits. */
const MAX_ATTEMPTS = 3
/** Delays the first track of an awaited list, so that its sound is ready by then. */
const FIRST_SOUND_MS = 600

/** Feeds the air the library of each mode that needs a list, with the cue points of its tracks. */
export interface LibraryFeed {
  readonly cuePoints: AllCuePoints
  /** True when tracks were kept out of lists because their files are missing. */
  readonly lacksFiles: boolean
  /** Reads the library of each mode that needs a list. */
  readWanted(): void
  readCuePoints(): Promise<void>
  /** Marks any read in progress as outdated. */
  outdate(): void
  /** Gives tracks that were left out another try. */
  tryAgain(): void
  /** Resolves when a file exists. @throws Failure NOT_FOUND when missing; another error when the storage cannot tell */
  find(key: MediaKey): Promise<void>
}

export function createLibraryFeed(
  { config, data, media, clock, log }: Pick<Ports, 'config' | 'data' | 'media' | 'clock' | 'log'>,
  air: Air,
  { noteLeftOut }: Pick<SecondChance, 'noteLeftOut'>,
  planChanged: () => void,
): LibraryFeed {
  const hasSound = air.state.pace === 'sound'
  const files = createLibraryFiles({ config, media, log })
  const refs = createTrackRefs()
  const reading = new Set<Mode>()
  const cuePoints = createCuePointsFeed({ config, data, log }, air)
  let version = 0

  const readWanted = () => {
    for (const mode of wantedPlaylists(air.state)) if (!reading.has(mode)) void read(mode)
  }

  const read = async (mode: Mode): Promise<void> => {
    reading.add(mode)
    try {
      await files.turn(mode, air.state.onAir.phase === 'preparing', air.leaving)
      const asOf = version
      const [library, settings] = await Promise.all([
        libraryOf(data, mode),
        rotationSettings(data, mode),
        cuePoints.read(),
      ])
      const present = await files.present(mode, library)
      const isOutdated = () => air.phase === 'leaving' || asOf !== version
      const tracks = isOutdated()
        ? []
        : await withBreaks(refs(within(present, media.cachedWhileAway()), cuePoints.known))
      const fact = { type: 'library', mode, tracks, settings } as const
      const made = await playlistFor(air, fact, isOutdated)
      reading.delete(mode)
      if (air.phase === 'leaving') return
      if (asOf !== version) return readWanted()
      air.passTime()
      const startMs = clock.nowMs() + (hasSound ? FIRST_SOUND_MS : 0)
      noteLeftOut('tracks')
      air.tell({ ...fact, ...(made && { made }) }, startMs)
      planChanged()
    } catch (error) {
      log.error({ err: error, mode }, 'library could not be read')
      await sleep(RETRY_MS)
      reading.delete(mode)
      if (air.phase !== 'leaving') readWanted()
    }
  }

  const outdate = () => {
    version++
  }

  air.follow(({ onAir: before }) => {
    const { onAir } = air.state
    // Another mode needs the current library and settings, not those of a read already in progress.
    if (onAir.phase === 'preparing' && onAir !== before) outdate()
    readWanted()
  })

  return {
    get cuePoints() {
      return cuePoints.known
    },
    get lacksFiles() {
      return files.areMissing
    },
    readWanted,
    readCuePoints: cuePoints.read,
    outdate,
    tryAgain() {
      outdate()
      air.take({ type: 'command', command: { type: 'library-changed' } }, clock.nowMs())
    },
    find: files.find,
  }
}

/**
 * Makes a playlist while the air goes on: one of a large library takes longer than a microphone can wait. Where the air changed
 * in a way that counts it is made again; null = it did each time, or the library is outdated.
 */
async function playlistFor(
  air: Air,
  fact: FactOf<'library'>,
  isOutdated: () => boolean,
): Promise<MadePlaylist | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !isOutdated(); attempt++) {
    const made = await withBreaks(makePlaylist(air.state, fact))
    if (isCurrent(made, air.state, fact)) return made
  }
  return null
}

/** Tracks as the engine knows them: the same object while nothing about a track changes, so that playlists share it. */
function createTrackRefs() {
  const known = new WeakMap<Readonly<Track>, TrackRef>()
  return function* (tracks: readonly Readonly<Track>[], cuePoints: AllCuePoints): Pieces<TrackRef[]> {
    const refs: TrackRef[] = []
    for (const [i, track] of tracks.entries()) {
      if (i % PIECE === 0) yield
      const before = known.get(track)
      const fresh = cuePoints[track.id]
      const ref = before && sameCuePoints(before.cuePoints, fresh) ? before : trackRef(track, fresh)
      if (ref !== before) known.set(track, ref)
      refs.push(ref)
    }
    noteTracks(refs, cuePoints)
    return refs
  }
}

/** How tracks are played; it is told to the air each time it is read. */
function createCuePointsFeed({ config, data, log }: Pick<Ports, 'config' | 'data' | 'log'>, air: Air) {
  const streamMode = air.state.pace === 'sound'
  // An earlier reading must not end after a later one.
  const inTurn = serialise()
  let known = noCuePoints
  return {
    get known() {
      return known.cuePoints
    },
    read: () =>
      inTurn(async () => {
        try {
          known = await cuePointsByTrack(data, { ...config, streamMode }, known)
          if (air.phase !== 'leaving') air.tell({ type: 'cue-points', cuePoints: known.cuePoints })
        } catch (error) {
          // Unmeasured tracks are played unchanged.
          log.error({ err: error }, 'loudness of tracks could not be read')
        }
      }),
  }
}

/** The available tracks, or all when none is available. */
function within(
  tracks: readonly Readonly<Track>[],
  cached: ReadonlySet<MediaKey> | null,
): readonly Readonly<Track>[] {
  const found = cached ? tracks.filter(({ storageKey }) => cached.has(storageKey)) : []
  return found.length > 0 ? found : tracks
}
