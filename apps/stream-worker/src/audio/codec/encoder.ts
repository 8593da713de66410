import { FRAME_SAMPLES, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { SAMPLE_BYTES } from '../pcm/ring.ts'
import { type EncoderProcess, startEncoderProcess } from './encoder-process.ts'

/**
 * Frames that a fresh encoder produces before the first one used. An MP3 frame depends on the audio of about two
 * frames before it (filter bank and overlap); the rest let the psychoacoustic model settle.
 */
export const PRIMING_FRAMES = 4
/** The delay of LAME (576 samples) plus that of every decoder (529): a frame holds audio fed to the encoder this much earlier. */
const DELAY_SAMPLES = 1105
/** About 2 s of audio, kept for a replacement process. */
const HISTORY_FRAMES = 80
/** Limit of frames offered but not delivered; together with the priming it fits into the history. */
const OPEN_FRAMES = 57
const BLOCK_BYTES = FRAME_SAMPLES * SAMPLE_BYTES

/** An encoder hangs when it has this much audio to encode and has produced nothing for as long. */
const HANG_MS = 500
const HANG_FRAMES = Math.floor((HANG_MS * SAMPLE_RATE) / 1000 / FRAME_SAMPLES)
/** A process that has just started may need longer on a busy machine. */
const START_TIMEOUT_MS = 3_000
/** A late check (the worker itself was stalled) counts as no more than this. */
const MAX_CHECK_MS = 150
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** Turns samples into numbered MP3 frames for the life of a broadcast. */
export interface Encoder {
  /** Number of the next frame to mix. */
  readonly offered: number
  /** Number of the next frame to come out. */
  readonly delivered: number
  /** False while the encoder is behind; do not offer anything then. */
  readonly hasRoom: boolean
  /** The samples of frame `offered`; fill them before calling `offer`. */
  readonly block: Int16Array
  /** Queues `block` for the encoder; `flush` sends it. */
  offer(): void
  /** Sends all queued blocks in one write. */
  flush(): void
  /** Kills a hanging encoder. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process id of the running ffmpeg. */
  readonly pid: number | undefined
  /** Kills the process and resolves when it is gone. */
  stop(): Promise<void>
}

/**
 * Starts the ffmpeg that encodes all frames, with a constant bit rate and no bit reservoir, so that each frame stands
 * alone. Frame n carries exactly the samples of block n, because the encoder and decoder delay is compensated here. When the
 * process dies or hangs, a new one is fed the last blocks again and continues with the frame that is due:
 * no frame number is skipped or repeated, and the audio continues seamlessly.
 *
 * @param options.first number of the first frame delivered; blocks are offered from `PRIMING_FRAMES` before it.
 */
export function startEncoder(options: EncoderOptions): Encoder {
  const { first, log, onFrame } = options
  const history = createHistory()
  let offered = first - PRIMING_FRAMES
  let delivered = first
  let pauseMs = 0
  let state: State = { is: 'stopped' }
  let gone: Promise<unknown> = Promise.resolve()

  function launch() {
    let toDrop = PRIMING_FRAMES
    const mount = { codec: 'mp3', bitrate: options.bitrate } as const
    const process = startEncoderProcess({ ffmpegPath: options.ffmpegPath, mount }, (frames) => {
      if (state !== running) return
      running.idleMs = 0
      for (const frame of frames) {
        if (toDrop-- > 0) continue
        running.hasDelivered = true
        pauseMs = 0
        delivered++
        onFrame(frame)
      }
    })
    const launchedAt = delivered - PRIMING_FRAMES
    const fed = launchedAt
    const running: Running = { is: 'running', process, launchedAt, fed, hasDelivered: false, idleMs: 0 }
    state = running
    const ended = process.ended.then((why) => state === running && replace(why))
    gone = Promise.all([gone, ended])
    flush()
  }

  function replace(why: object) {
    if (state.is === 'running') state.process.kill()
    log.warn({ ...why, frame: delivered, afterMs: pauseMs }, 'encoder replaced')
    options.onReplaced?.()
    state = { is: 'paused', timer: setTimeout(launch, pauseMs) }
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS)
  }

  function flush() {
    if (state.is !== 'running' || !state.process.isWritable || state.fed >= offered) return
    state.process.write(history.bytes(state.fed, offered, state.launchedAt))
    state.fed = offered
  }

  launch()
  return {
    get offered() {
      return offered
    },
    get delivered() {
      return delivered
    },
    get hasRoom() {
      return offered - delivered < OPEN_FRAMES
    },
    get block() {
      return history.block(offered)
    },
    get pid() {
      return state.is === 'running' ? state.process.pid : undefined
    },
    offer: () => void offered++,
    flush,
    check(elapsedMs) {
      if (state.is !== 'running') return
      const isBehind = offered - delivered >= HANG_FRAMES
      state.idleMs = isBehind ? state.idleMs + Math.min(elapsedMs, MAX_CHECK_MS) : 0
      if (state.idleMs < (state.hasDelivered ? HANG_MS : START_TIMEOUT_MS)) return
      replace({ idleMs: state.idleMs })
    },
    async stop() {
      if (state.is === 'running') state.process.kill()
      if (state.is === 'paused') clearTimeout(state.timer)
      state = { is: 'stopped' }
      await gone
    },
  }
}

interface EncoderOptions {
  ffmpegPath: string
  /** kbit/s */
  bitrate: number
  first: number
  onFrame(frame: Buffer): void
  /** Called when the process has died or hung. */
  onReplaced?: () => void
  log: Logger
}

interface Running {
  is: 'running'
  process: EncoderProcess
  /** Number of the first block fed to it. */
  launchedAt: number
  /** Number of the next block to feed. */
  fed: number
  hasDelivered: boolean
  /** How long it has produced nothing although it is behind. */
  idleMs: number
}

type State = Running | { is: 'paused'; timer: NodeJS.Timeout } | { is: 'stopped' }

/** The last blocks of samples by frame number, for the encoder and its replacement. */
function createHistory() {
  const memory = new ArrayBuffer(HISTORY_FRAMES * BLOCK_BYTES)
  const blocks = Array.from({ length: HISTORY_FRAMES }, (_, i) => {
    const samples = new Int16Array(memory, i * BLOCK_BYTES, FRAME_SAMPLES * 2)
    // No copy is needed: a block is not reused before its frame has come out.
    return { samples, bytes: Buffer.from(memory, i * BLOCK_BYTES, BLOCK_BYTES) }
  })
  const at = (frame: number) => blocks[frame % HISTORY_FRAMES]!
  return {
    block: (frame: number) => at(frame).samples,
    /** The blocks from `from` up to, but not including, `to`, for a process whose first block is `launchedAt`. */
    bytes(from: number, to: number, launchedAt: number): Uint8Array[] {
      const pieces: Uint8Array[] = []
      for (let frame = from; frame < to; frame++) {
        const { bytes } = at(frame)
        // The first block of a process is shortened to align each frame with its block.
        pieces.push(frame === launchedAt ? bytes.subarray(DELAY_SAMPLES * SAMPLE_BYTES) : bytes)
      }
      return pieces
    },
  }
}
