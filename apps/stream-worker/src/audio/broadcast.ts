import { chunkEndMs, FRAME_MS, FRAME_SAMPLES, type FrameChunk, type MediaKey, sleep } from '@solstice/station'
import type { Logger } from 'pino'
import { PRIMING_FRAMES, startEncoder } from './codec/encoder.ts'
import { createFrameChunks } from './frame-chunks.ts'
import type { MicrophoneMixer } from './microphone/mixer.ts'
import { createPlayback, type PlaybackPlan } from './playback.ts'
import { startPump } from './pump.ts'
import { createTimeLine } from './time-line.ts'

export type { PlaybackPlan } from './playback.ts'

/** A broadcast that ended longer ago is not caught up with: nobody's player has waited for it. */
const MAX_CATCH_UP_MS = 15_000
/** A publication that takes longer does not hold up the end of the broadcast. */
const LAST_PUBLICATION_TIMEOUT_MS = 1_000

/** The sound of the station, from now on until it is stopped or the lease is lost. */
export interface Broadcast {
  /**
   * To be called when the plan may have changed for another reason than `soundEnded` or `unplayable`: another current
   * entry takes over with a quick fade, another next one is decoded instead of the one prepared.
   */
  planChanged(): void
  /** The moment up to which the sound is mixed: what changes now is heard from there. */
  readonly mixedUntilMs: number
  /** The frame that holds the sound of a moment, by the numbers of the broadcast. */
  frameAt(atMs: number): number
  /** Ends it; resolves when every ffmpeg process is gone. */
  stop(): Promise<void>
  /** The ffmpeg processes that run now. */
  readonly processes: { encoder: number | undefined; decoders: number[] }
}

interface BroadcastOptions {
  plan: PlaybackPlan
  /** Path or http address that ffmpeg can open. */
  source(media: MediaKey): Promise<string>
  /** Live audio over the plan; it is mixed in as late as possible. */
  microphones?: Pick<MicrophoneMixer, 'mix' | 'open'>
  /** Called one at a time, in order. A rejection means that the lease is lost: nothing more is produced. */
  publish(chunk: FrameChunk): Promise<void>
  /** Station clock, ms; never goes back. */
  nowMs(): number
  /** The last chunk on the air, if there was ever one. */
  after: FrameChunk | null
  settings: { ffmpegPath: string; bitrate: number; crossfadeMs: number }
  /** Called when an encoder died or hung. */
  onEncoderReplaced?: () => void
  log: Logger
}

/**
 * Starts to broadcast: what is planned is decoded, mixed, encoded and published in chunks of about half a second, on the
 * beat of the station clock and without a hole in the frame numbers.
 *
 * A broadcast goes on from `after`: when that ended at most 15 s ago, everything that should have been heard since is
 * caught up with as fast as possible, so that the sound has no hole either; otherwise only the numbers go on.
 */
export function startBroadcast(options: BroadcastOptions): Broadcast {
  const { publish, nowMs, after, settings, log } = options
  const first = firstFrame(after, nowMs())
  const timeLine = createTimeLine({ sample: first.frame * FRAME_SAMPLES, atMs: first.atMs })
  const chunks = createFrameChunks({
    ...first,
    timeOf: timeLine.timeOf,
    publish,
    onLost(err) {
      log.warn({ err }, 'chunk refused; broadcast ended')
      stop()
    },
    log,
  })
  const playback = createPlayback({
    ...options,
    microphones: options.microphones ?? null,
    start: (first.frame - PRIMING_FRAMES) * FRAME_SAMPLES,
    firstHeard: first.frame * FRAME_SAMPLES,
    lastMarker: first.isFresh ? (after?.markers.at(-1) ?? null) : null,
    timeOf: timeLine.timeOf,
    ffmpegPath: settings.ffmpegPath,
    crossfadeMs: settings.crossfadeMs,
    onHeard: chunks.heard,
    onProgress: () => pump.progress(),
  })
  const encoder = startEncoder({
    ffmpegPath: settings.ffmpegPath,
    bitrate: settings.bitrate,
    first: first.frame,
    onFrame(frame) {
      chunks.add(frame)
      pump.progress()
    },
    ...(options.onEncoderReplaced && { onReplaced: options.onEncoderReplaced }),
    log,
  })
  const pump = startPump({ encoder, playback, timeLine, nowMs, log })

  async function stop() {
    pump.stop()
    const tooLong = sleep(LAST_PUBLICATION_TIMEOUT_MS, { ref: false })
    await Promise.all([encoder.stop(), playback.close(), Promise.race([chunks.stop(), tooLong])])
  }

  return {
    planChanged: pump.planChanged,
    get mixedUntilMs() {
      return timeLine.timeOf(encoder.offered * FRAME_SAMPLES)
    },
    frameAt: timeLine.frameAt,
    stop,
    get processes() {
      return { encoder: encoder.pid, decoders: playback.pids }
    },
  }
}

/** Where a broadcast begins: its number, its place in bytes, when it is due, and whether it goes on without a pause. */
function firstFrame(after: FrameChunk | null, nowMs: number) {
  // Without a memory the clock counts, so that numbers rise even then.
  if (!after) return { frame: Math.floor(nowMs / FRAME_MS), byte: 0, atMs: nowMs, isFresh: false }
  const fromMs = catchUpFrom(after, nowMs)
  const frame = after.frame + after.frames
  return { frame, byte: after.byte + after.audio.length, atMs: fromMs ?? nowMs, isFresh: fromMs !== null }
}

/** Station time from which a broadcast that ended with `after` is caught up with; null = it ended too long ago. */
export function catchUpFrom(after: FrameChunk, nowMs: number): number | null {
  const endMs = chunkEndMs(after)
  return nowMs - endMs <= MAX_CATCH_UP_MS ? endMs : null
}
