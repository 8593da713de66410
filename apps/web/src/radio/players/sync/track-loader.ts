import type { Connection } from '../../connection/connection.ts'
import { type Airing, hasFile } from '../../timeline.ts'
import { type Sound, startAudio } from '../player.ts'
import { createRetry } from '../retry.ts'
import { tokenLifeS } from '../token-life.ts'
import type { TrackFile } from './track-file.ts'

/** Loads the file of the track on air into an audio element, and the next one when that is on air. */
export interface TrackLoader {
  /** True when the listener wants to hear the tracks. */
  readonly isActive: boolean
  /** The loaded track, also while its file is being opened or retried; null = none. */
  readonly track: string | null
  /** Follows the air from now on. */
  start(): void
  /** Starts the loaded file again. */
  resume(): Promise<void>
  /** Opens the file of the track on air, even if it was loaded before. */
  reload(): void
  /** Stops following, for this reason; the loaded file stays. */
  stop(reason: Sound): void
  /** The file could not be read: it is retried with a new token. */
  failed(): void
  /** The file plays: a later failure is retried quickly again. */
  playing(): void
  close(): void
}

interface Dependencies {
  audio: HTMLAudioElement
  file: TrackFile
  timeline: Connection['timeline']
  onAir: () => Airing | null
  /** Seconds until the track ends. */
  leftS: (airing: Airing) => number
  /** The element got the file of an airing, and is about to be started. */
  onSource: (airing: Airing) => void
  /** The loaded track is on air still, with other details. */
  onUpdate: (airing: Airing) => void
  onSound: (sound: Sound) => void
}

export function createTrackLoader(dependencies: Dependencies): TrackLoader {
  const { audio, file, timeline, onAir, leftS, onSource, onUpdate, onSound } = dependencies
  const retry = createRetry()
  let isActive = false

  function follow(): void {
    const airing = onAir()
    if (!isActive || !airing) return
    if (!hasFile(airing)) {
      if (file.unload()) onSound({ is: 'starting' })
    } else if (airing.state.track !== file.track) void open(airing)
    else onUpdate(airing)
  }

  async function open(airing: Airing): Promise<void> {
    retry.cancel()
    onSound({ is: 'starting' })
    const result = await file.open(airing.state.track!, tokenLifeS(leftS(airing)), () => onSource(airing))
    if (result === 'unavailable') failed()
    else if (result === 'blocked') stop({ is: 'blocked' })
  }

  function stop(reason: Sound): void {
    isActive = false
    retry.cancel()
    onSound(reason)
  }

  function failed(): void {
    if (!isActive) return
    // The track still counts as loaded, so that only another one is opened before the retry.
    file.interrupt()
    onSound({ is: 'retrying', because: 'lost' })
    retry.schedule(reopen)
  }

  /** An expired token is the likeliest cause of a failure. */
  async function reopen(): Promise<void> {
    const result = await file.renewToken()
    if (result === 'failed') failed()
    else if (result === 'renewed') reload()
  }

  function reload(): void {
    file.forget()
    follow()
  }

  const unsubscribe = timeline.subscribe(follow)
  return {
    get isActive() {
      return isActive
    },
    get track() {
      return file.track
    },
    start() {
      isActive = true
    },
    async resume() {
      const result = await startAudio(audio)
      if (result === 'blocked') stop({ is: 'blocked' })
      else if (isActive && !audio.paused) onSound({ is: 'playing' })
    },
    reload,
    stop,
    failed,
    playing() {
      retry.reset()
      if (isActive) onSound({ is: 'playing' })
    },
    close() {
      stop({ is: 'off' })
      unsubscribe()
      file.unload()
    },
  }
}
