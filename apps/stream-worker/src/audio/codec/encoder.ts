import { FRAME_SAMPLES, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { SAMPLE_BYTES } from '../pcm/ring.ts'
import { type EncoderProcess, startEncoderProcess } from './encoder-process.ts'

/**
 * Frames that a fresh encoder makes before the first one that is used. An MP3 frame depends on the sound of about two
 * frames before it (filter bank and overlap); the others let the encoder's hearing model settle.
 */
export const PRIMING_FRAMES = 4
/** LAME's delay of 576 samples and every decoder's of 529: a frame holds the sound that the encoder was given this much earlier. */
const DELAY_SAMPLES = 1105
/** About 2 s of sound is kept for a successor. */
const HISTORY_FRAMES = 80
/** Frames offered and not yet delivered, at most; together with the priming it stays within the history. */
const OPEN_FRAMES = 57
const BLOCK_BYTES = FRAME_SAMPLES * SAMPLE_BYTES

/** No output for this long, though as much sound waits for it: the encoder hangs. */
const HANG_MS = 500
const HANG_FRAMES = Math.floor((HANG_MS * SAMPLE_RATE) / 1000 / FRAME_SAMPLES)
/** A process that has just been started may need longer on a busy machine. */
const START_TIMEOUT_MS = 3_000
/** A check that comes late (the worker itself was held up) counts as no more than this. */
const MAX_CHECK_MS = 150
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** Turns samples into MP3 frames with numbers, for the life of a broadcast. */
export interface Encoder {
  /** Number of the next frame to be mixed. */
  readonly offered: number
  /** Number of the next frame to come out. */
  readonly delivered: number
  /** False while the encoder is behind: nothing must be offered then. */
  readonly hasRoom: boolean
  /** The samples of frame `offered`, to be filled before `offer`. */
  readonly block: Int16Array
  /** Hands `block` in. It is sent to the encoder at the next `flush`. */
  offer(): void
  /** Sends what was offered, in one piece. */
  flush(): void
  /** Ends an encoder that hangs; to be called about every 100 ms, with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process id of the ffmpeg that runs now. */
  readonly pid: number | undefined
  /** Ends the process; resolves when it is gone. */
  stop(): Promise<void>
}

/**
 * Starts the one ffmpeg that makes all frames, constant bit rate and without a bit reservoir, so that each frame stands
 * alone. Frame n carries exactly the samples of block n: the delay of encoder and decoder is taken out here. When the
 * process dies or hangs another one takes its place, is fed the last blocks again and delivers the frame that is due:
 * no number is left out or given twice, and the sound goes on.
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
    const process = startEncoderProcess(options, (frames) => {
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
  /** Called when the process died or hung. */
  onReplaced?: () => void
  log: Logger
}

interface Running {
  is: 'running'
  process: EncoderProcess
  /** Number of the first block it was fed. */
  launchedAt: number
  /** Number of the next block to feed. */
  fed: number
  hasDelivered: boolean
  /** How long it has given nothing though it is behind. */
  idleMs: number
}

type State = Running | { is: 'paused'; timer: NodeJS.Timeout } | { is: 'stopped' }

/** The last blocks of samples, by the numbers of their frames, for the encoder and its successor. */
function createHistory() {
  const memory = new ArrayBuffer(HISTORY_FRAMES * BLOCK_BYTES)
  const blocks = Array.from({ length: HISTORY_FRAMES }, (_, i) => {
    const samples = new Int16Array(memory, i * BLOCK_BYTES, FRAME_SAMPLES * 2)
    // Written without a copy: a block is not mixed into again before its frame has come out.
    return { samples, bytes: Buffer.from(memory, i * BLOCK_BYTES, BLOCK_BYTES) }
  })
  const at = (frame: number) => blocks[frame % HISTORY_FRAMES]!
  return {
    block: (frame: number) => at(frame).samples,
    /** The blocks from `from` to before `to` for a process whose first block is `launchedAt`. */
    bytes(from: number, to: number, launchedAt: number): Uint8Array[] {
      const pieces: Uint8Array[] = []
      for (let frame = from; frame < to; frame++) {
        const { bytes } = at(frame)
        // The first block of a process is cut short, so that each frame falls on its own block.
        pieces.push(frame === launchedAt ? bytes.subarray(DELAY_SAMPLES * SAMPLE_BYTES) : bytes)
      }
      return pieces
    },
  }
}
