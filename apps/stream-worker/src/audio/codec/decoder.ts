import { Failure, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { PcmRing } from '../pcm/ring.ts'
import { type DecoderProcess, startDecoderProcess } from './decoder-process.ts'
import { createReplacements } from './replacements.ts'

/** ffmpeg's pipe and the stream over it may give this much at once. */
const READ_BYTES = 128 * 1024
/** A running decoder that is asked for samples and gives none for this long hangs. */
const HANG_MS = 2_000
/** As long as more than this is ready, a decoder that gives nothing has time. */
const LOW_SAMPLES = SAMPLE_RATE
/** A check that comes late (the worker itself was held up) counts as no more than this. */
const MAX_CHECK_MS = 150
const PAUSE_MS = 500
/** Without ffmpeg nothing can be decoded; that is no fault of the file. */
const NO_FFMPEG_PAUSE_MS = 2_000

/** One track as samples, decoded a few seconds ahead. Positions count from the track's first sample. */
export interface Decoder {
  /**
   * `opening`: not one sample yet, however long that takes. `ended`: `end` is known. `unplayable`: ffmpeg ended without a
   * sample, or the storage refused the file; a decoder that is only late is never that.
   */
  readonly phase: 'opening' | 'decoding' | 'ended' | 'unplayable'
  /** Position just past the track's last sample, as soon as it was decoded; null before. */
  readonly end: number | null
  /** Position just past what is ready. */
  readonly ready: number
  /** Copies samples to sample `to` of `into`; what is not ready is silence. Everything before them is forgotten. */
  read(position: number, count: number, into: Int16Array, to: number): void
  /** Replaces a decoder that hangs; to be called about every 100 ms, with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process id of the ffmpeg that runs now. */
  readonly pid: number | undefined
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>
}

export interface DecoderOptions {
  ffmpegPath: string
  /** Gives a path. @throws Failure when there will be none. */
  source(): Promise<string>
  /** Position of the first sample wanted. */
  from: number
  /** Position at which decoding ends at the latest; Infinity = the end of the file. */
  limit: number
  /** Samples that are decoded ahead. */
  readAhead: number
  /** There is something new: samples, the end, or that there will be none. */
  onProgress(): void
  log: Logger
}

type State =
  /** The file is asked for, or a pause is made before. */
  | { is: 'waiting'; timer: NodeJS.Timeout | null }
  /** `startedAt`: position of its first sample. `idleMs`: how long it has given nothing though it was asked. */
  | { is: 'running'; process: DecoderProcess; startedAt: number; idleMs: number }
  | { is: 'ended' | 'unplayable' }
  | { is: 'closed' }

/**
 * Decodes a track from a position on, to 44.1 kHz stereo whatever the file holds. Reads no more than what fits into
 * the read-ahead; ffmpeg waits meanwhile. A process that is killed, fails on the way or hangs is replaced at the exact
 * sample; one that does not get on is given up.
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

/** Moves samples from the process that runs into the ring. */
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
      // A refusal is the storage's last word; anything else may be over in a moment.
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
      // The machine may be slow: as long as nothing was decoded, that is not held against the track.
      replacements.noteLateStart()
      log.warn({ idleMs }, 'decoder late; started again')
      launchLater(0)
    },
    async close() {
      if (feed.state.is === 'waiting' && feed.state.timer) clearTimeout(feed.state.timer)
      feed.enter({ is: 'closed' })
      await gone
    },
  }
}

/** Counts the time in which a process was asked for samples and gave none; true when that is too long. */
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
