import { createStore } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { isElsewhere } from '../elsewhere.ts'
import { onAudio, type Player, type Sound, type SoundTitle } from '../player.ts'
import { watchSystemPauses } from '../system-pause.ts'
import type { LagMeter } from './lag.ts'
import { createStreamLoader, type SoundBreak } from './loader.ts'
import type { StreamRequest } from './request.ts'

const CHECK_INTERVAL_MS = 1000

/** A way in which the broadcast comes. */
export interface StreamTransport {
  request: StreamRequest
  lag: LagMeter
  /** What it would open now. */
  source(): string
  /** The track that the sound itself names, if it does. */
  title?(): SoundTitle | null
  /** Calls for failures that the element does not report. @returns ends it. */
  onFailed?(tell: () => void): () => void
}

export interface StreamPlayer extends Player {
  /** Changes to what is chosen now. */
  follow(): void
}

/**
 * Stream mode: the broadcast itself, the same for everybody.
 *
 * @param told.onPlay called before it starts; returns false when another player starts instead.
 * @param told.onBreak called when the sound broke; it may close this player.
 */
export function createStreamPlayer(
  { audio, connection }: { audio: HTMLAudioElement; connection: Connection },
  { request, lag, source, title, onFailed }: StreamTransport,
  { onPlay, onBreak }: { onPlay: () => boolean; onBreak: (how: SoundBreak) => void },
): StreamPlayer {
  const sound = createStore<Sound>({ is: 'off' })
  const loader = createStreamLoader({ request, lag, onSound: sound.set, onBreak })
  let chosen = source()
  /** Since it was opened. */
  let hasSounded = false

  function check(): void {
    if (!loader.isActive) return
    // Another device loads when it likes: to open it anew would only make it begin again.
    const mayReopen = !isElsewhere(audio)
    if (mayReopen && request.isOpen() && lag.isStalled()) {
      loader.retryLater('lost', hasSounded ? 'stalled' : 'refused')
      return
    }
    const lagS = sound.value.is === 'playing' ? lag.measure() : null
    if (lagS === null) return
    if (mayReopen && lag.isFarBehind(lagS)) loader.reopen()
    else if (document.visibilityState === 'visible') void connection.measurePosition()
  }

  function play(): void {
    if (!onPlay()) return
    chosen = source()
    loader.start()
  }

  const removeListeners = onAudio(audio, {
    timeupdate: lag.advanced,
    playing() {
      loader.succeeded()
      if (!loader.isActive) return
      hasSounded = true
      sound.set({ is: 'playing' })
      check()
    },
    waiting() {
      if (!loader.isActive) return
      const isStall = sound.value.is === 'playing'
      sound.set({ is: 'starting' })
      if (isStall && !isElsewhere(audio)) onBreak('stalled')
    },
    emptied() {
      hasSounded = false
    },
    ended: () => loader.retryLater('lost', 'refused'),
    error: () => void loader.failed(),
  })
  const unwatch = watchSystemPauses(audio, {
    isOn: () => loader.isActive && request.isOpen(),
    isResting: () => !loader.isActive && sound.value.is === 'paused',
    onPause: loader.rest,
    onResume: play,
  })
  const stopTelling = onFailed?.(() => void loader.failed())
  const timer = setInterval(check, CHECK_INTERVAL_MS)

  return {
    sound,
    lagS: lag.lagS,
    title: () => (loader.isActive ? (title?.() ?? null) : null),
    play,
    follow() {
      if (source() === chosen) return
      chosen = source()
      loader.change()
    },
    pause: () => loader.stop({ is: 'paused' }),
    close() {
      clearInterval(timer)
      stopTelling?.()
      removeListeners()
      unwatch()
      loader.stop({ is: 'off' })
    },
  }
}
