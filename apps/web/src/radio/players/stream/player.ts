import { createStore } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { onAudio, type Player, type Sound } from '../player.ts'
import { createLagMeter, isFarBehind } from './lag.ts'
import { createStreamLoader } from './loader.ts'

const CHECK_INTERVAL_MS = 1000
const PAUSE_SETTLING_MS = 300

/** Stream mode: the broadcast itself, the same for everybody. */
export function createStreamPlayer(audio: HTMLAudioElement, connection: Connection): Player {
  const sound = createStore<Sound>({ is: 'off' })
  const lag = createLagMeter(audio, connection.roundTripMs)
  const loader = createStreamLoader(audio, connection.artToken, lag, sound.set)

  function check(): void {
    if (!loader.isActive) return
    if (loader.isOpen() && lag.isStalled()) {
      loader.retryLater('lost')
      return
    }
    const lagS = sound.value.is === 'playing' ? lag.measure() : null
    if (lagS === null) return
    if (isFarBehind(lagS)) loader.reopen()
    else if (document.visibilityState === 'visible') void connection.measurePosition()
  }

  /** Paused by the system or the browser, for instance when headphones are unplugged. */
  function pausedOutside(): void {
    const mine = loader.generation()
    const isPaused = () =>
      mine === loader.generation() && loader.isActive && !audio.ended && audio.paused && loader.isOpen()
    if (!isPaused()) return
    // A broken connection looks the same at first: the element pauses, and only then ends.
    setTimeout(() => isPaused() && loader.stop({ is: 'paused' }), PAUSE_SETTLING_MS)
  }

  const removeListeners = onAudio(audio, {
    timeupdate: lag.advanced,
    playing() {
      loader.succeeded()
      if (!loader.isActive) return
      sound.set({ is: 'playing' })
      check()
    },
    pause: pausedOutside,
    waiting: () => loader.isActive && sound.set({ is: 'starting' }),
    ended: () => loader.retryLater('lost'),
    error: () => void loader.failed(),
  })
  const timer = setInterval(check, CHECK_INTERVAL_MS)

  return {
    sound,
    lagS: lag.lagS,
    play: loader.start,
    pause: () => loader.stop({ is: 'paused' }),
    close() {
      clearInterval(timer)
      removeListeners()
      loader.stop({ is: 'off' })
    },
  }
}
