import { localNowMs } from '../../connection/station-clock.ts'
import { type Output, openOutput } from './output.ts'

/** Keeps an output open, and replaces one that claims to run and doesn't. */
export interface OutputKeeper {
  /** Opens or resumes it. Call it from a press, so that the browser allows the sound. */
  open(): void
  /** The output, if it runs. Call it several times a second. */
  check(): Output | null
  /** Applies the present level. */
  setLevel(): void
  /** Nothing sounds for a while; what fades out still may. */
  rest(): void
  close(): void
}

/** A context that stands still for this long, although it should run, is replaced. */
const STUCK_AFTER_MS = 4000
/** Opening the device may take a while. */
const UNSTARTED_AFTER_MS = 10_000
/** A device that breaks more often than this is left to the element. */
const MAX_REPLACEMENTS = 2
const WITHIN_MS = 10 * 60_000
/** Longer than a fade. */
const REST_AFTER_MS = 200

interface Dependencies {
  /** Amplitude: 1 = as loud as the file. */
  level: () => number
  /** What was scheduled is lost. */
  onLost: () => void
  /** There is no way out through Web Audio here. */
  onUnfit: () => void
}

export function createOutputKeeper({ level, onLost, onUnfit }: Dependencies): OutputKeeper {
  let output: Output | null = null
  let isResting = true
  let replacedAtMs: number[] = []
  let restTimer: ReturnType<typeof setTimeout> | undefined

  function open(): void {
    isResting = false
    clearTimeout(restTimer)
    // Some systems forget to end an interruption. Only a press may start another context.
    if (output?.context.state === 'interrupted' && navigator.userActivation?.isActive) discard()
    output ??= openFollowed()
    if (!output) onUnfit()
    void output?.context.resume().catch(() => {})
  }

  function discard(): void {
    output?.close()
    output = null
  }

  function openFollowed(): Output | null {
    const opened = openOutput(level())
    opened?.context.addEventListener('statechange', () => {
      const { state } = opened.context
      if (isResting || state === 'running' || state === 'closed') return
      onLost()
      resume(opened)
    })
    return opened
  }

  /** Systems that suspend a context don't tell when it may go on. One that they interrupt they resume; asking too early breaks it. */
  function resume({ context }: Output): void {
    if (context.state === 'suspended') void context.resume().catch(() => {})
  }

  const rerouted = () => output?.rerouted()
  navigator.mediaDevices?.addEventListener('devicechange', rerouted)
  return {
    open,
    check() {
      if (!output) return null
      resume(output)
      const limitMs = output.hasStarted() ? STUCK_AFTER_MS : UNSTARTED_AFTER_MS
      if (output.read() < limitMs) return output.context.state === 'running' ? output : null
      onLost()
      discard()
      const nowMs = localNowMs()
      replacedAtMs = [...replacedAtMs.filter((atMs) => nowMs - atMs < WITHIN_MS), nowMs]
      if (replacedAtMs.length <= MAX_REPLACEMENTS) open()
      else onUnfit()
      return null
    },
    setLevel: () => output?.setLoudness(level()),
    rest() {
      const resting = output
      isResting = true
      clearTimeout(restTimer)
      // A context that runs keeps the device awake.
      restTimer = setTimeout(() => void resting?.context.suspend().catch(() => {}), REST_AFTER_MS)
    },
    close() {
      clearTimeout(restTimer)
      navigator.mediaDevices?.removeEventListener('devicechange', rerouted)
      discard()
    },
  }
}
