import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '@solstice/adapters'
import { FRAME_SAMPLES, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { SAMPLE_BYTES } from '../pcm/ring.ts'
import { createFrameCutter } from './mp3-frames.ts'

/**
 * Frames that a fresh encoder makes before the first one that is used. An MP3 frame depends on the sound of about two
 * frames before it (filter bank and overlap); the others let the encoder's hearing model settle.
 */
export const PRIMING_FRAMES = 4
/** LAME's delay of 576 samples and every decoder's of 529: the sound of a frame was given to the encoder so much earlier. */
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
const START_MS = 3_000
/** A check that comes late (the worker itself was held up) counts as no more than this. */
const CHECK_MS = 150
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
export function startEncoder(options: {
  ffmpegPath: string
  /** kbit/s */
  bitrate: number
  first: number
  onFrame(frame: Buffer): void
  /** Called when the process died or hung. */
  onReplaced?: () => void
  log: Logger
}): Encoder {
  const { first, log } = options
  const history = new ArrayBuffer(HISTORY_FRAMES * BLOCK_BYTES)
  const samples = Array.from(
    { length: HISTORY_FRAMES },
    (_, i) => new Int16Array(history, i * BLOCK_BYTES, FRAME_SAMPLES * 2),
  )
  // Written without a copy: a block is not mixed into again before its frame has come out.
  const blocks = samples.map((block) => Buffer.from(block.buffer, block.byteOffset, block.byteLength))

  let offered = first - PRIMING_FRAMES
  let delivered = first
  let fed = offered
  let launchedAt = offered
  let child: ChildProcess | null = null
  let hasDelivered = false
  let silentMs = 0
  let pauseMs = 0
  let pause: NodeJS.Timeout | null = null
  let gone: Promise<unknown> = Promise.resolve()
  let isStopped = false

  function launch() {
    pause = null
    const ffmpeg = spawn(options.ffmpegPath, encoderArgs(options.bitrate), {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session of its own: Ctrl-C is for the worker; an encoder that ends politely would add silence to its last frame.
      detached: true,
      windowsHide: true,
      env: bareEnvironment(),
    })
    child = ffmpeg
    hasDelivered = false
    silentMs = 0
    let complaint = ''
    let toDrop = PRIMING_FRAMES
    const cut = createFrameCutter()
    ffmpeg.stdout.on('data', (bytes: Buffer) => {
      if (child !== ffmpeg) return
      silentMs = 0
      for (const frame of cut(bytes)) {
        if (toDrop-- > 0) continue
        hasDelivered = true
        pauseMs = 0
        delivered++
        options.onFrame(frame)
      }
    })
    ffmpeg.stderr.on('data', (text: Buffer) => {
      complaint = (complaint + text).slice(-500)
    })
    ffmpeg.stdin.on('error', () => {}) // told by 'close'
    const former = gone
    const ended = new Promise<void>((resolve) => {
      const end = (why: object) => {
        resolve()
        if (child === ffmpeg) replace({ ...why, complaint })
      }
      ffmpeg.once('error', (err) => end({ err }))
      ffmpeg.once('close', (code, signal) => end({ code, signal }))
    })
    gone = former.then(() => ended)
    launchedAt = delivered - PRIMING_FRAMES
    fed = launchedAt
    flush()
  }

  function replace(why: object) {
    const former = child
    child = null
    former?.kill('SIGKILL')
    if (isStopped) return
    log.warn({ ...why, frame: delivered, afterMs: pauseMs }, 'the encoder is replaced')
    options.onReplaced?.()
    pause = setTimeout(launch, pauseMs)
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2 || 100)
  }

  function flush() {
    if (!child?.stdin?.writable || fed >= offered) return
    child.stdin.cork()
    for (; fed < offered; fed++) {
      const block = blocks[fed % HISTORY_FRAMES]!
      // The first block of a process is cut short, so that each frame falls on its own block.
      child.stdin.write(fed === launchedAt ? block.subarray(DELAY_SAMPLES * SAMPLE_BYTES) : block)
    }
    child.stdin.uncork()
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
      return samples[offered % HISTORY_FRAMES]!
    },
    get pid() {
      return child?.pid
    },
    offer() {
      offered++
    },
    flush,
    check(elapsedMs) {
      if (!child || offered - delivered < HANG_FRAMES) {
        silentMs = 0
        return
      }
      silentMs += Math.min(elapsedMs, CHECK_MS)
      if (silentMs >= (hasDelivered ? HANG_MS : START_MS)) replace({ silentMs })
    },
    async stop() {
      isStopped = true
      if (pause) clearTimeout(pause)
      const former = child
      child = null
      former?.kill('SIGKILL')
      await gone
    },
  }
}

function encoderArgs(bitrate: number): string[] {
  // Not `-fflags nobuffer`: with it ffmpeg throws the first 1024 samples away.
  const input = '-f s16le -ar 44100 -ac 2 -probesize 32 -analyzeduration 0 -i pipe:0'
  const output = `-c:a libmp3lame -b:a ${bitrate}k -reservoir 0 -write_xing 0 -id3v2_version 0 -flush_packets 1`
  return `-hide_banner -loglevel error ${input} ${output} -f mp3 pipe:1`.split(' ')
}
