import { RESTS_FOR_MS, watchSystemPauses } from '../radio/players/system-pause.ts'

/** The sound of a listener; `failed` is tried again by itself. */
export type Sound = 'off' | 'connecting' | 'playing' | 'failed'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
const SILENCE_MS = 15_000

/** Plays an endless stream. While it is off, nothing is fetched for long: a radio has no place to go on from. */
export function createStreamSound(onChange: (sound: Sound) => void, audio = new Audio()) {
  audio.preload = 'none'
  let sound: Sound = 'off'
  /** Paused by the system, which may let it go on. */
  let isResting = false
  let url = ''
  let retryMs = FIRST_RETRY_MS
  let timer: ReturnType<typeof setTimeout>

  const become = (next: Sound) => {
    sound = next
    onChange(next)
  }
  const connect = () => {
    if (sound === 'off') return
    audio.src = url
    clearTimeout(timer)
    timer = setTimeout(fail, SILENCE_MS)
    // A refused start comes as an error event, too, or is the end of an older one.
    audio.play().catch((error: DOMException) => error.name === 'NotAllowedError' && stop())
  }
  const start = () => {
    isResting = false
    become('connecting')
    connect()
  }
  const fail = () => {
    if (sound === 'off') return
    become('failed')
    clearTimeout(timer)
    timer = setTimeout(connect, retryMs)
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
  }
  const stop = () => {
    clearTimeout(timer)
    isResting = false
    retryMs = FIRST_RETRY_MS
    become('off')
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
  }
  const rest = () => {
    clearTimeout(timer)
    isResting = true
    become('off')
    timer = setTimeout(stop, RESTS_FOR_MS)
  }
  audio.addEventListener('playing', () => {
    if (sound === 'off') return
    clearTimeout(timer)
    retryMs = FIRST_RETRY_MS
    become('playing')
  })
  audio.addEventListener('waiting', () => {
    if (sound !== 'playing') return
    become('connecting')
    timer = setTimeout(fail, SILENCE_MS)
  })
  audio.addEventListener('error', fail)
  audio.addEventListener('ended', fail)
  watchSystemPauses(audio, {
    isOn: () => sound === 'playing' || sound === 'connecting',
    isResting: () => isResting,
    onPause: rest,
    // Buffered sound would be late.
    onResume: start,
  })

  return {
    start(from: string) {
      url = from
      start()
    },
    stop,
  }
}
