import { createStore, type Store } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { type Airing, positionAt } from '../../timeline.ts'
import { isElsewhere } from '../elsewhere.ts'
import { onAudio, type Player, type Sound } from '../player.ts'
import { createPositionKeeper, type PositionKeeper } from './position-keeper.ts'
import { createPrefetch } from './prefetch.ts'
import { createProgressWatch } from './progress.ts'
import { createTrackFile } from './track-file.ts'
import { createTrackLoader, type TrackLoader } from './track-loader.ts'

const CHECK_INTERVAL_MS = 500

interface Options {
  /** Takes how many dB louder than its file the track is to be. */
  amplify: (gainDb: number) => void
  /** False where files come from another origin, from which a page may play but not read. */
  mayRead: () => boolean
}

/** Sync mode: the listener's own copy of the file, held to the station's clock. */
export function createSyncPlayer(
  audio: HTMLAudioElement,
  connection: Connection,
  { amplify, mayRead }: Options,
): Player {
  const sound = createStore<Sound>({ is: 'off' })
  const onAir = (): Airing | null => connection.timeline.value.at(-1) ?? null
  const target = (airing: Airing) => positionAt(airing, connection.stationNowMs())
  const leftS = (airing: Airing) => Math.max(0, airing.state.duration - target(airing))
  const amplifyFor = ({ state }: Airing) => amplify(state.gainDb ?? 0)

  const position = createPositionKeeper(audio, () => {
    const airing = onAir()
    return airing && target(airing)
  })
  const file = createTrackFile(audio, connection)
  const loader = createTrackLoader({
    audio,
    file,
    timeline: connection.timeline,
    onAir,
    leftS,
    onSource(airing) {
      amplifyFor(airing)
      position.jump()
    },
    onUpdate: amplifyFor,
    onSound: sound.set,
  })
  const prefetch = createPrefetch(audio, file, mayRead)
  const progress = createProgressWatch(audio)

  /** The track on air, if its file is the one that is loaded. */
  function loadedAiring(): Airing | null {
    const airing = onAir()
    return airing?.state.track === loader.track ? airing : null
  }

  const removeListeners = followElement(audio, { loader, position, sound, play })
  const timer = setInterval(() => {
    const airing = loadedAiring()
    if (!loader.isActive || !airing) return progress.reset()
    position.correct()
    // Another device stands still while it loads, and can't reach what is kept here.
    if (isElsewhere(audio)) progress.reset()
    else if (progress.isStalled()) loader.failed()
    else prefetch(airing, leftS(airing))
  }, CHECK_INTERVAL_MS)

  function play(): void {
    loader.start()
    const isLoaded = loadedAiring() && !audio.error
    if (isLoaded) position.jump()
    sound.set({ is: 'starting' })
    if (isLoaded) void loader.resume()
    else loader.reload()
  }

  return {
    sound,
    /** While it plays, the listener hears the file's position, which isn't always the station's. */
    lagS() {
      const isHeard = sound.value.is === 'playing' && !audio.ended && !position.isSettling()
      const airing = isHeard && loadedAiring()
      return airing ? target(airing) - audio.currentTime : 0
    },
    play,
    pause() {
      loader.stop({ is: 'paused' })
      audio.pause()
    },
    close() {
      clearInterval(timer)
      removeListeners()
      loader.close()
      amplify(0)
    },
  }
}

interface Parts {
  loader: TrackLoader
  position: PositionKeeper
  sound: Store<Sound>
  play: () => void
}

/** Returns the function that ends it. */
function followElement(audio: HTMLAudioElement, { loader, position, sound, play }: Parts): () => void {
  const goes = () => loader.isActive && audio.src.startsWith('blob:') && loader.reload()
  audio.remote?.addEventListener('connecting', goes)
  const removeListeners = onAudio(audio, {
    // A position set before the duration was known is set again, now that time has passed.
    loadedmetadata: position.jump,
    playing: loader.playing,
    /** The system lets it go on, for instance after a call. */
    play: () => !loader.isActive && !audio.paused && sound.value.is === 'paused' && play(),
    /** Paused by the system or the browser, for instance when headphones are unplugged. */
    pause() {
      if (!loader.isActive || audio.ended || !audio.paused || !audio.hasAttribute('src')) return
      loader.stop({ is: 'paused' })
    },
    waiting: () => loader.isActive && sound.set({ is: 'starting' }),
    error: () => audio.hasAttribute('src') && loader.failed(),
  })
  return () => {
    audio.remote?.removeEventListener('connecting', goes)
    removeListeners()
  }
}
