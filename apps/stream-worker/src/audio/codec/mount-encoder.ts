import { codecs, type Mount, mountId, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { type EncoderProcess, startEncoderProcess } from './encoder-process.ts'
import { createSampleHistory } from './sample-history.ts'

/**
 * Of each codec: frames that a fresh encoder produces before the first one used, and the samples by which a decoded frame lags
 * behind what was fed (of LAME 576, of every MP3 decoder 529).
 */
const STARTS: Record<Mount['codec'], { priming: number; delay: number }> = {
  mp3: { priming: 4, delay: 1105 },
  aac: { priming: 4, delay: 1024 },
  // The look-ahead of libopus, 312 samples at 48 kHz. What it learns settles within 80 ms (RFC 7845, section 4.2).
  opus: { priming: 5, delay: 287 },
}
/** Kept for a process that replaces another one. */
const HISTORY_SAMPLES = 10 * SAMPLE_RATE
/** A process that has not delivered so much of what it was fed gets no more, */
const MAX_OPEN_SAMPLES = 2 * SAMPLE_RATE
/** and mixing waits for one with so much to do, */
const MAX_BEHIND_SAMPLES = 3 * SAMPLE_RATE
/** unless it has produced nothing for so long; the first process of a broadcast has the time to start. */
const MAX_WAIT_MS = 300

/** An encoder hangs when it has this much audio to encode and has produced nothing for as long. */
const HANG_MS = 500
const HANG_SAMPLES = (HANG_MS * SAMPLE_RATE) / 1000
/** A process that has just started may need longer on a busy machine. */
const START_TIMEOUT_MS = 3_000
/** A late check (the worker itself was stalled) counts as no more than this. */
const MAX_CHECK_MS = 150
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** Turns the mixed samples into the numbered frames of a mount beside the first. */
export interface MountEncoder {
  /** Takes the next samples of the broadcast. */
  take(samples: Int16Array): void
  /** False while the process works off more than it should have; do not mix anything then. */
  readonly hasRoom: boolean
  /** Sends to the process what it has room for. */
  flush(): void
  /** Kills a hanging process. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process id of the running ffmpeg. */
  readonly pid: number | undefined
  /** Kills the process and resolves when it is gone. */
  stop(): Promise<void>
}

interface MountEncoderOptions {
  ffmpegPath: string
  mount: Mount
  /** Number of the first frame delivered. */
  first: number
  /** Number of the first sample that will come. */
  start: number
  /** Called with each frame and its number, in order. */
  onFrame(frame: Buffer, number: number): void
  /** Called when the process has died or hung. */
  onReplaced?: (() => void) | undefined
  log: Logger
}

/**
 * Starts the ffmpeg of a mount. Frame n holds the samples from n times the frame length on. A process that died or hung is
 * followed by one that is fed the last seconds again and continues with the frame that is due, without a seam. Only when that
 * takes longer than the samples are kept are frames left out.
 */
export function startMountEncoder(options: MountEncoderOptions): MountEncoder {
  const { mount, log, onFrame } = options
  const { frameSamples } = codecs[mount.codec]
  const history = createSampleHistory(HISTORY_SAMPLES, options.start)
  let next = options.first
  let pauseMs = 0
  let maxWaitMs = START_TIMEOUT_MS
  let state: State = { is: 'stopped' }
  let gone: Promise<unknown> = Promise.resolve()

  function launch() {
    const first = firstWithSamples(mount, history.from)
    if (next < first)
      log.warn({ mount: mountId(mount), frame: next, leftOut: first - next }, 'frames of a mount left out')
    next = Math.max(next, first)
    let toDrop = STARTS[mount.codec].priming
    const process = startEncoderProcess(options, (frames) => {
      if (state !== running) return
      running.idleMs = 0
      for (const frame of frames) {
        if (toDrop-- > 0) continue
        running.hasDelivered = true
        pauseMs = 0
        maxWaitMs = MAX_WAIT_MS
        onFrame(frame, next++)
      }
    })
    const fed = beginOf(mount, next)
    const running: Running = { is: 'running', process, fed, hasDelivered: false, idleMs: 0 }
    state = running
    const ended = process.ended.then((why) => state === running && replace(why))
    gone = Promise.all([gone, ended])
    flush()
  }

  function replace(why: object) {
    if (state.is === 'running') state.process.kill()
    maxWaitMs = MAX_WAIT_MS
    log.warn({ ...why, mount: mountId(mount), frame: next, afterMs: pauseMs }, 'encoder replaced')
    options.onReplaced?.()
    state = { is: 'paused', timer: setTimeout(launch, pauseMs) }
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS)
  }

  function flush() {
    if (state.is !== 'running' || !state.process.isWritable) return
    if (state.fed < history.from) return replace({ behind: history.end - state.fed })
    const to = Math.min(history.end, next * frameSamples + MAX_OPEN_SAMPLES)
    if (to <= state.fed) return
    state.process.write(history.bytes(state.fed, to))
    state.fed = to
  }

  launch()
  return {
    take: history.add,
    get hasRoom() {
      const isWorking = state.is === 'running' && state.idleMs < maxWaitMs
      return !isWorking || history.end - next * frameSamples < MAX_BEHIND_SAMPLES
    },
    flush,
    get pid() {
      return state.is === 'running' ? state.process.pid : undefined
    },
    check(elapsedMs) {
      if (state.is !== 'running') return
      const isBehind = state.fed - next * frameSamples >= HANG_SAMPLES
      state.idleMs = isBehind ? state.idleMs + Math.min(elapsedMs, MAX_CHECK_MS) : 0
      if (state.idleMs >= (state.hasDelivered ? HANG_MS : START_TIMEOUT_MS)) replace({ idleMs: state.idleMs })
    },
    async stop() {
      if (state.is === 'running') state.process.kill()
      if (state.is === 'paused') clearTimeout(state.timer)
      state = { is: 'stopped' }
      await gone
    },
  }
}

/** The sample with which a process begins whose first used frame is `frame`. */
function beginOf({ codec }: Mount, frame: number): number {
  const { priming, delay } = STARTS[codec]
  return (frame - priming) * codecs[codec].frameSamples + delay
}

/** The first frame of which all samples are there that a process needs. */
function firstWithSamples({ codec }: Mount, from: number): number {
  const { priming, delay } = STARTS[codec]
  return Math.ceil((from - delay) / codecs[codec].frameSamples) + priming
}

interface Running {
  is: 'running'
  process: EncoderProcess
  /** Number of the next sample to feed. */
  fed: number
  hasDelivered: boolean
  /** How long it has produced nothing although it is behind. */
  idleMs: number
}

type State = Running | { is: 'paused'; timer: NodeJS.Timeout } | { is: 'stopped' }
