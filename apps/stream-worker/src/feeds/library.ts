import type { Ports } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import { apply, type CuePoints, wantedPlaylists } from '@solstice/playout'
import {
  cuePointsByTrack,
  libraryOf,
  type MediaKey,
  rotationSettings,
  sleep,
  trackRef,
} from '@solstice/station'
import type { Air } from '../air/air.ts'
import { createLibraryFiles } from './library-files.ts'
import type { SecondChance } from './second-chance.ts'

const RETRY_MS = 1_000
/** The first track of a list that was waited for starts later, so that its sound is ready by then. */
const FIRST_SOUND_MS = 600

/** Gives the air the library of each mode of which it wants a list, and how tracks are played. */
export interface LibraryFeed {
  readonly cuePoints: Record<string, CuePoints>
  /** Tracks were kept out of lists because their files are missing. */
  readonly lacksFiles: boolean
  /** Reads the library of each mode of which a list is wanted. */
  readWanted(): void
  readCuePoints(): Promise<void>
  /** Anything being read now is out of date. */
  outdate(): void
  /** Tracks that were left out are worth another try. */
  tryAgain(): void
  /** Resolves when a file is there. @throws Failure NOT_FOUND when it is missing, otherwise when the storage cannot tell */
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
      reading.delete(mode)
      if (air.phase === 'leaving') return
      if (asOf !== version) return readWanted()
      air.passTime()
      const startMs = clock.nowMs() + (hasSound ? FIRST_SOUND_MS : 0)
      noteLeftOut('tracks')
      const tracks = within(present, media.cachedWhileAway()).map((track) =>
        trackRef(track, cuePoints.known[track.id]),
      )
      air.tell({ type: 'library', mode, tracks, settings }, startMs)
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
    // Another mode is prepared from the library and settings of now, not from what was being read before.
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
      air.take(apply(air.state, { type: 'library-changed' }, clock.nowMs()))
    },
    find: files.find,
  }
}

/** How tracks are played; it is told to the air each time it is read. */
function createCuePointsFeed({ config, data, log }: Pick<Ports, 'config' | 'data' | 'log'>, air: Air) {
  const streamMode = air.state.pace === 'sound'
  let known: Record<string, CuePoints> = {}
  return {
    get known() {
      return known
    },
    async read(): Promise<void> {
      try {
        known = await cuePointsByTrack(data, { ...config, streamMode })
        if (air.phase !== 'leaving') air.tell({ type: 'cue-points', cuePoints: known })
      } catch (error) {
        // Tracks that it knows nothing of are played as they are.
        log.error({ err: error }, 'loudness of tracks could not be read')
      }
    },
  }
}

/** Those tracks that can be had, unless there is none of them. */
function within(
  tracks: readonly Readonly<Track>[],
  cached: ReadonlySet<MediaKey> | null,
): readonly Readonly<Track>[] {
  const found = cached ? tracks.filter(({ storageKey }) => cached.has(storageKey)) : []
  return found.length > 0 ? found : tracks
}
