import type { ChildProcess } from 'node:child_process'
import { bareEnvironment, FORMATS } from '@solstice/adapters'
import { Failure, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import prism from 'prism-media'
import { PcmRing } from '../pcm/ring.ts'

/** Up to this position a seek decodes from the beginning: exact to the sample, and done in about half a second. */
const EXACT_SEEK_SAMPLES = 600 * SAMPLE_RATE
/** Further back ffmpeg jumps so much ahead of the position and decodes the rest. */
const SEEK_RUN_SAMPLES = 5 * SAMPLE_RATE
/** What ffmpeg's pipe and the stream over it may give at once. */
const READ_BYTES = 128 * 1024
/** A decoder that is asked for samples and gives none for so long hangs. */
const HANG_MS = 2_000
const START_HANG_MS = 5_000
/** As long as more than this is ready, a silent decoder has time. */
const LOW_SAMPLES = SAMPLE_RATE
/** A check that comes late (the worker itself was held up) counts as no more than this. */
const CHECK_MS = 150
/** Replacements in a row, without so much sound in between, until the track is given up. */
const MAX_REPLACEMENTS = 3
const HEALTHY_SAMPLES = 5 * SAMPLE_RATE
const PAUSE_MS = 500
/** Without ffmpeg nothing can be decoded; that is no fault of the file. */
const NO_FFMPEG_PAUSE_MS = 2_000

/** One track as samples, decoded a few seconds ahead. Positions count from the track's first sample. */
export interface Decoder {
  /** `unplayable`: not one sample could be decoded. `ended`: `end` is known. */
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

/**
 * Decodes a track from a position on, to 44.1 kHz stereo whatever the file holds. Reads no more than what fits into
 * the read-ahead; ffmpeg waits meanwhile. A process that is killed, fails on the way or hangs is replaced at the exact
 * sample; one that does not get on is given up.
 */
export function openDecoder(options: {
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
}): Decoder {
  const { from, limit, log, onProgress } = options
  const ring = new PcmRing(options.readAhead + Math.ceil(READ_BYTES / 4), from)
  let phase: Decoder['phase'] = 'opening'
  let ffmpeg: prism.FFmpeg | null = null
  let child: ChildProcess | null = null
  let gone: Promise<unknown> = Promise.resolve()
  let pause: NodeJS.Timeout | null = null
  let replacements = 0
  let replacedAt = from
  let silentMs = 0
  let isClosed = false

  function pull() {
    while (ffmpeg && ring.roomBytes >= READ_BYTES) {
      const chunk: Buffer | null = ffmpeg.read()
      if (!chunk) return
      silentMs = 0
      ring.write(chunk)
      if (phase === 'opening') phase = 'decoding'
      if (ring.end >= limit) finish('ended')
      onProgress()
    }
  }

  async function launch() {
    pause = null
    const at = ring.end
    let stream: prism.FFmpeg
    try {
      const place = await options.source()
      if (isClosed) return
      stream = new prism.FFmpeg({ args: withoutOurEnvironment(options.ffmpegPath, decoderArgs(place, at)) })
    } catch (err) {
      // A refusal is the storage's last word; anything else may be over in a moment.
      if (err instanceof Failure && !isClosed) giveUp({ err })
      else retry({ err }, PAUSE_MS)
      return
    }
    const started = stream.process
    ffmpeg = stream
    child = started
    silentMs = 0
    let complaint = ''
    started.stderr?.on('data', (text: Buffer) => {
      complaint = (complaint + text).slice(-500)
    })
    stream.on('error', () => {}) // told by 'exit'
    stream.on('readable', () => {
      if (ffmpeg === stream) pull()
    })
    const drained = new Promise<void>((resolve) => stream.once('end', resolve))
    const exited = new Promise<Exit>((resolve) => {
      started.once('error', (err) => resolve({ err }))
      started.once('exit', (code, signal) => resolve({ code, signal }))
    })
    const former = gone
    gone = former.then(() => exited)
    const exit = await exited
    if ('code' in exit && ffmpeg === stream) await drained
    if (ffmpeg !== stream) return
    letGo()
    ring.dropPartial()
    if ('err' in exit || isAbsent(exit)) retryUntilThereIsFfmpeg(exit)
    else if (exit.code === 0) finish(ring.end > 0 ? 'ended' : 'unplayable')
    else if (exit.signal !== null || ring.end > at) retry({ ...exit, complaint }, 0)
    else giveUp({ ...exit, complaint })
  }

  function retry(why: object, pauseMs: number) {
    if (isClosed) return
    if (ring.end - replacedAt > HEALTHY_SAMPLES) replacements = 0
    replacedAt = ring.end
    if (replacements++ >= MAX_REPLACEMENTS) return giveUp(why)
    log.warn({ ...why, position: ring.end }, 'a decoder is replaced')
    pause = setTimeout(launch, pauseMs)
  }

  function retryUntilThereIsFfmpeg(why: object) {
    if (isClosed) return
    log.error(why, 'ffmpeg cannot be started')
    pause = setTimeout(launch, NO_FFMPEG_PAUSE_MS)
  }

  function giveUp(why: object) {
    log.warn({ ...why, position: ring.end }, 'this track cannot be decoded further')
    finish(ring.end > from ? 'ended' : 'unplayable')
  }

  function finish(as: 'ended' | 'unplayable') {
    phase = as
    ring.dropPartial()
    letGo()
    onProgress()
  }

  /** Not by the stream's own `destroy`, which leaves the pipes open. */
  function letGo() {
    ffmpeg = null
    child?.kill('SIGKILL')
    for (const pipe of child?.stdio ?? []) pipe?.destroy()
    child = null
  }

  launch()
  return {
    get phase() {
      return phase
    },
    get end() {
      return phase === 'ended' ? Math.min(ring.end, limit) : null
    },
    get ready() {
      return ring.end
    },
    get pid() {
      return child?.exitCode === null && child.signalCode === null ? child.pid : undefined
    },
    read(position, count, into, to) {
      ring.read(position, count, into, to)
      ring.release(position + count)
      pull()
    },
    check(elapsedMs) {
      if (!ffmpeg || ring.roomBytes < READ_BYTES) {
        silentMs = 0
        return
      }
      silentMs += Math.min(elapsedMs, CHECK_MS)
      if (silentMs < (ring.end === from ? START_HANG_MS : HANG_MS)) return
      if (ring.end - ring.start >= LOW_SAMPLES) return
      letGo()
      ring.dropPartial()
      retry({ silentMs }, 0)
    },
    async close() {
      isClosed = true
      if (pause) clearTimeout(pause)
      letGo()
      await gone
    },
  }
}

type Exit = { code: number | null; signal: NodeJS.Signals | null } | { err: Error }

/** `env` ends with these when the program is not there, or is none. */
const isAbsent = (exit: Exit) => 'code' in exit && (exit.code === 127 || exit.code === 126)

// prism-media passes our environment on to what it starts, which holds the secrets of the station. `env` drops it and then
// becomes ffmpeg: the process id, its end and its signals are ffmpeg's own.
prism.FFmpeg.getInfo = () => ({ command: '/usr/bin/env', info: '', version: '', output: '' })

function withoutOurEnvironment(program: string, args: string[]): string[] {
  const variables = Object.entries(bareEnvironment()).map(([name, value]) => `${name}=${value}`)
  return ['-i', ...variables, program, ...args]
}

function decoderArgs(place: string, from: number): string[] {
  const jump = from > EXACT_SEEK_SAMPLES ? from - SEEK_RUN_SAMPLES : 0
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', FORMATS],
    ...(jump ? ['-ss', (jump / SAMPLE_RATE).toFixed(6)] : []),
    ...['-i', `file:${place}`],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn'],
    ...['-af', `aresample=${SAMPLE_RATE},atrim=start_sample=${from - jump}`],
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2'], // prism adds where to
  ]
}
