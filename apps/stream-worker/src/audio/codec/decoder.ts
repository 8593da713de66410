import { Failure, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { PcmRing } from '../pcm/ring.ts'
import { type DecoderProcess, startDecoderProcess } from './decoder-process.ts'
import { createReplacements } from './replacements.ts'

/** The most that ffmpeg's pipe and the stream over it can deliver at once. */
const READ_BYTES = 128 * 1024
/** A running decoder hangs when samples are wanted and none come for this long. */
const HANG_MS = 2_000
/** A decoder that produces nothing is no concern while more than this is ready. */
const LOW_SAMPLES = SAMPLE_RATE
/** A late check (the worker itself was stalled) counts as no more than this. */
const MAX_CHECK_MS = 150
const PAUSE_MS = 500
/** A missing ffmpeg is not the fault of the file. */
const NO_FFMPEG_PAUSE_MS = 2_000

/** Sent by the system or by people, for lack of memory for instance: they say nothing about the file. A crash has others. */
const endsFromOutside: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** One track as samples, decoded a few seconds ahead. Positions count from the track's first sample. */
export interface Decoder {
  /**
   * `opening`: no sample yet, however long that takes. `ended`: `end` is known. `unplayable`: ffmpeg exited without a
   * sample, or the storage refused the file; a decoder that is merely late, or killed from outside, never is.
   */
  readonly phase: 'opening' | 'decoding' | 'ended' | 'unplayable'
  /** Position just past the track's last sample; null until that is decoded. */
  readonly end: number | null
  /** Position just past the ready samples. */
  readonly ready: number
  /** Copies samples to sample `to` of `into`, silence for those not ready, and forgets everything before them. */
  read(position: number, count: number, into: Int16Array, to: number): void
  /** Replaces a hanging decoder. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process id of the running ffmpeg. */
  readonly pid: number | undefined
  /** Kills the process and resolves when it is gone. */
  close(): Promise<void>
}

export interface DecoderOptions {
  ffmpegPath: string
  /** Returns a path to decode. @throws Failure when the file will never be available */
  source(): Promise<string>
  /** Position of the first sample to deliver. */
  from: number
  /** Position at which decoding stops; Infinity for the end of the file. */
  limit: number
  /** Number of samples to decode ahead. */
  readAhead: number
  /** Called on any progress: samples, the end, or failure. */
  onProgress(): void
  log: Logger
}

type State =
  /** The file is being fetched, or a retry is pending. */
  | { is: 'waiting'; timer: NodeJS.Timeout | null }
  /** `startedAt`: position of its first sample. `idleMs`: how long it has produced nothing while samples were wanted. */
  | { is: 'running'; process: DecoderProcess; startedAt: number; idleMs: number }
  | { is: 'ended' | 'unplayable' }
  | { is: 'closed' }

/**
 * Decodes a track from a position on to 44.1 kHz stereo, whatever its format. Reads no more than fits into
 * the read-ahead; ffmpeg waits meanwhile. A process that is killed, fails midway or hangs is replaced at the exact
 * sample; a track that makes no progress is given up.
 */
export function openDecoder(options: DecoderOptions): Decoder {
  const { from, limit } = options
  const ring = new PcmRing(options.readAhead + Math.ceil(READ_BYTES / 4), from)
  const feed = createFeed(options, ring)
  const { check, close } = startRun(options, ring, feed)
  return {
    get phase() {
      const { is } = feed.state
      if (is === 'ended' || is === 'unplayable') return is
      return ring.end > from ? 'decoding' : 'opening'
    },
    get end() {
      return feed.state.is === 'ended' ? Math.min(ring.end, limit) : null
    },
    get ready() {
      return ring.end
    },
    get pid() {
      return feed.state.is === 'running' ? feed.state.process.pid : undefined
    },
    read(position, count, into, to) {
      ring.read(position, count, into, to)
      ring.release(position + count)
      feed.pull()
    },
    check,
    close,
  }
}

/** Moves samples from the running process into the ring. */
function createFeed({ limit, onProgress }: DecoderOptions, ring: PcmRing) {
  const feed = {
    state: { is: 'waiting', timer: null } as State,
    enter(next: State) {
      if (feed.state.is === 'running') feed.state.process.kill()
      ring.dropPartial()
      feed.state = next
    },
    pull() {
      while (feed.state.is === 'running' && ring.roomBytes >= READ_BYTES) {
        const chunk = feed.state.process.read()
        if (!chunk) return
        feed.state.idleMs = 0
        ring.write(chunk)
        if (ring.end >= limit) feed.finish('ended')
        else onProgress()
      }
    },
    finish(as: 'ended' | 'unplayable') {
      feed.enter({ is: as })
      onProgress()
    },
  }
  return feed
}

/** Keeps a process running until the track has ended. */
function startRun(options: DecoderOptions, ring: PcmRing, feed: ReturnType<typeof createFeed>) {
  const { ffmpegPath, source, from, log } = options
  const replacements = createReplacements(from)
  let gone: Promise<unknown> = Promise.resolve()

  async function launch() {
    feed.enter({ is: 'waiting', timer: null })
    let process: DecoderProcess
    try {
      const place = await source()
      if (feed.state.is === 'closed') return
      process = startDecoderProcess(ffmpegPath, place, ring.end, feed.pull)
    } catch (err) {
      if (feed.state.is === 'closed') return
      // A refusal by the storage is final; any other error may pass.
      return err instanceof Failure ? giveUp({ err }) : replace({ err }, PAUSE_MS)
    }
    void run(process)
  }

  async function run(process: DecoderProcess) {
    const running: State = { is: 'running', process, startedAt: ring.end, idleMs: 0 }
    feed.state = running
    gone = Promise.all([gone, process.exited])
    const exit = await process.exited
    if (exit.is !== 'absent' && feed.state === running) await process.drained
    if (feed.state !== running) return
    const hasAdvanced = ring.end > running.startedAt
    if (exit.is === 'ended') feed.finish(ring.end > 0 ? 'ended' : 'unplayable')
    else if (exit.is === 'absent') {
      log.error(exit, 'ffmpeg cannot be started')
      launchLater(NO_FFMPEG_PAUSE_MS)
    } else if (exit.is === 'killed' && endsFromOutside.has(exit.signal) && ring.end === from) {
      log.warn(exit, 'decoder killed before its first sample; restarted')
      launchLater(PAUSE_MS)
    } else if (exit.is === 'killed' || hasAdvanced) replace(exit, 0)
    else giveUp(exit)
  }

  function launchLater(pauseMs: number) {
    feed.enter({ is: 'waiting', timer: setTimeout(launch, pauseMs) })
  }

  function replace(why: object, pauseMs: number) {
    if (!replacements.take(ring.end)) return giveUp(why)
    log.warn({ ...why, position: ring.end }, 'decoder replaced')
    launchLater(pauseMs)
  }

  function giveUp(why: object) {
    log.warn({ ...why, position: ring.end }, 'track cannot be decoded further')
    feed.finish(ring.end > from ? 'ended' : 'unplayable')
  }

  launch()
  return {
    check(elapsedMs: number) {
      const { state } = feed
      if (state.is !== 'running' || !isHanging(state, ring, elapsedMs, replacements.startTimeoutMs)) return
      const { idleMs } = state
      if (ring.end > from) return replace({ idleMs }, 0)
      // On a slow machine the first sample may take long; the track is not blamed for that.
      replacements.noteLateStart()
      log.warn({ idleMs }, 'decoder late; restarted')
      launchLater(0)
    },
    async close() {
      if (feed.state.is === 'waiting' && feed.state.timer) clearTimeout(feed.state.timer)
      feed.enter({ is: 'closed' })
      await gone
    },
  }
}

/** Counts how long a process has produced nothing while samples were wanted; true when that is too long. */
function isHanging(
  running: Extract<State, { is: 'running' }>,
  ring: PcmRing,
  elapsedMs: number,
  startTimeoutMs: number,
): boolean {
  const hasTime = ring.roomBytes < READ_BYTES
  running.idleMs = hasTime ? 0 : running.idleMs + Math.min(elapsedMs, MAX_CHECK_MS)
  const isStarting = ring.end === running.startedAt
  const timeoutMs = isStarting ? startTimeoutMs : HANG_MS
  return running.idleMs >= timeoutMs && ring.end - ring.start < LOW_SAMPLES
}
