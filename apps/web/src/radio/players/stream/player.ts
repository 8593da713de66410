import { createStore } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { isElsewhere } from '../elsewhere.ts'
import { onAudio, type Player, type Sound } from '../player.ts'
import { watchSystemPauses } from '../system-pause.ts'
import type { LagMeter } from './lag.ts'
import { createStreamLoader } from './loader.ts'
import type { StreamRequest } from './request.ts'

const CHECK_INTERVAL_MS = 1000

/** How the broadcast comes: in one endless answer, or in segments. */
export interface StreamTransport {
  request: StreamRequest
  lag: LagMeter
  /** What it would open now. */
  source(): string
}

export interface StreamPlayer extends Player {
  /** Changes to what is chosen now. */
  follow(): void
}

/**
 * Stream mode: the broadcast itself, the same for everybody.
 *
 * @param told.onPlay called before it starts. @param told.onBreak called when the sound broke; it may close this player.
 */
export function createStreamPlayer(
  { audio, connection }: { audio: HTMLAudioElement; connection: Connection },
  { request, lag, source }: StreamTransport,
  { onPlay, onBreak }: { onPlay: () => void; onBreak: () => void },
): StreamPlayer {
  const sound = createStore<Sound>({ is: 'off' })
  const loader = createStreamLoader({ request, lag, onSound: sound.set, onBreak })
  let chosen = source()

  function check(): void {
    if (!loader.isActive) return
    // Another device loads when it likes: to open it anew would only make it begin again.
    const mayReopen = !isElsewhere(audio)
    if (mayReopen && request.isOpen() && lag.isStalled()) {
      loader.retryLater('lost')
      return
    }
    const lagS = sound.value.is === 'playing' ? lag.measure() : null
    if (lagS === null) return
    if (mayReopen && lag.isFarBehind(lagS)) loader.reopen()
    else if (document.visibilityState === 'visible') void connection.measurePosition()
  }

  function play(): void {
    onPlay()
    chosen = source()
    loader.start()
  }

  const removeListeners = onAudio(audio, {
    timeupdate: lag.advanced,
    playing() {
      loader.succeeded()
      if (!loader.isActive) return
      sound.set({ is: 'playing' })
      check()
    },
    waiting() {
      if (!loader.isActive) return
      const isStall = sound.value.is === 'playing'
      sound.set({ is: 'starting' })
      if (isStall && !isElsewhere(audio)) onBreak()
    },
    ended: () => loader.retryLater('lost'),
    error: () => void loader.failed(),
  })
  const unwatch = watchSystemPauses(audio, {
    isOn: () => loader.isActive && request.isOpen(),
    isResting: () => !loader.isActive && sound.value.is === 'paused',
    onPause: loader.rest,
    onResume: play,
  })
  const timer = setInterval(check, CHECK_INTERVAL_MS)

  return {
    sound,
    lagS: lag.lagS,
    play,
    follow() {
      if (source() === chosen) return
      chosen = source()
      loader.change()
    },
    pause: () => loader.stop({ is: 'paused' }),
    close() {
      clearInterval(timer)
      removeListeners()
      unwatch()
      loader.stop({ is: 'off' })
    },
  }
}
