import { localNowMs } from '../../connection/station-clock.ts'
import { RATE } from './decoding/track-sound.ts'
import { createOutputClock, type OutputSample } from './output-clock.ts'

/** The way out through Web Audio. */
export interface Output {
  readonly context: AudioContext
  /** What is connected here is heard at the listener's volume. */
  readonly node: AudioNode
  /** The frame that is rendered next. */
  frame(): number
  /** Local time in ms at which a frame is heard; null until the readings have settled. */
  heardMs(frame: number): number | null
  /** Reads the clocks; call it several times a second. Returns for how long the context has been standing still, in ms. */
  read(): number
  /** True once its clock has moved, since it last began to run. */
  hasStarted(): boolean
  setLoudness(level: number): void
  /** The sound may go another way now: speakers, headphones. */
  rerouted(): void
  close(): void
}

/** Far more than any device needs between rendering and sound; a reading that says more is wrong. */
const MAX_LATENCY_S = 3
const VOLUME_RAMP_S = 0.02
/** Readings of a context that has just begun are off; those of some browsers never know the latency. */
const FLOWING_AFTER_MS = 250
const LATENCY_KNOWN_AFTER_MS = 1500
const SETTLED_AFTER_MS = 600
/** Timers of a page in the background run this seldom. */
const STANDSTILL_UNIT_MS = 1000

/** @returns null where Web Audio can't be had at our rate. */
export function openOutput(level: number): Output | null {
  const context = openContext()
  if (!context) return null
  const gain = context.createGain()
  gain.gain.value = level
  gain.connect(context.destination)
  const clock = createOutputClock()
  let movedAtMs = localNowMs()
  let readAtMs = movedAtMs
  let lastS = context.currentTime
  let startedAtMs: number | null = null
  context.addEventListener('statechange', () => {
    if (context.state === 'running') return
    // Its clock stands still, so what was read of it is wrong when it runs again.
    clock.reset()
    startedAtMs = null
  })
  return {
    context,
    node: gain,
    frame: () => Math.ceil(context.currentTime * RATE),
    heardMs: (frame) =>
      startedAtMs !== null && localNowMs() - startedAtMs > SETTLED_AFTER_MS
        ? clock.heardMs(frame / RATE)
        : null,
    read() {
      const nowMs = localNowMs()
      // A page that was frozen has seen nothing of the context meanwhile; a call may take as long as it likes.
      const isExcused = nowMs - readAtMs > 2 * STANDSTILL_UNIT_MS || context.state === 'interrupted'
      if (isExcused || context.currentTime !== lastS) movedAtMs = nowMs
      readAtMs = nowMs
      if (context.currentTime !== lastS && context.state === 'running') {
        startedAtMs ??= nowMs
        // What is read before the device plays is not the latency of any sound.
        const isFlowing = context.outputLatency !== 0 || nowMs - startedAtMs > LATENCY_KNOWN_AFTER_MS
        if (isFlowing && nowMs - startedAtMs > FLOWING_AFTER_MS) clock.add(readOutput(context))
      }
      lastS = context.currentTime
      return nowMs - movedAtMs
    },
    hasStarted: () => startedAtMs !== null,
    setLoudness: (next) => gain.gain.setTargetAtTime(next, context.currentTime, VOLUME_RAMP_S),
    rerouted: clock.reset,
    close() {
      gain.disconnect()
      void context.close().catch(() => {})
    },
  }
}

function openContext(): AudioContext | null {
  if (typeof AudioContext === 'undefined' || typeof AudioBufferSourceNode === 'undefined') return null
  try {
    const context = new AudioContext({ latencyHint: 'playback', sampleRate: RATE })
    if (context.sampleRate === RATE) return context
    void context.close()
  } catch {
    // Some browsers know no other rate than the device's.
  }
  return null
}

/** Pairs the audio clock with the local one, latency of the output included. */
function readOutput(context: AudioContext): OutputSample {
  const nowMs = localNowMs()
  const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp?.() ?? {}
  const heardMs = performance.timeOrigin + performanceTime
  const latencyS = context.currentTime - contextTime - (nowMs - heardMs) / 1000
  if (contextTime > 0 && latencyS > -0.1 && latencyS < MAX_LATENCY_S)
    return { contextS: contextTime, heardMs }
  const toldS = context.outputLatency || context.baseLatency || 0
  return { contextS: context.currentTime, heardMs: nowMs + toldS * 1000 }
}
