import {
  FRAME_SAMPLES,
  type FrameChunk,
  type MediaKey,
  type Mount,
  type MountId,
  mountId,
  sleep,
} from '@solstice/station'
import type { Logger } from 'pino'
import { beginningOf } from './beginning.ts'
import { startEncoder } from './codec/encoder.ts'
import { createFrameChunks } from './frame-chunks.ts'
import type { MicrophoneMixer } from './microphone/mixer.ts'
import { createOtherMounts } from './mounts.ts'
import { createPlayback, type PlaybackPlan } from './playback.ts'
import { startPump } from './pump.ts'
import { createTimeLine } from './time-line.ts'

export type { PlaybackPlan } from './playback.ts'

/** The end of the broadcast waits no longer than this for a publication under way. */
const LAST_PUBLICATION_TIMEOUT_MS = 1_000

/** The sound of the station, until it is stopped or the lease is lost. */
export interface Broadcast {
  /**
   * Call this when the plan may have changed for a reason other than `soundEnded` or `unplayable`: a new current
   * entry takes over with a quick fade, and a new next one replaces the one prepared.
   */
  planChanged(): void
  /** The moment up to which audio is mixed; changes made now are heard from there. */
  readonly mixedUntilMs: number
  /** The number of the frame that holds the audio of a moment. */
  frameAt(atMs: number): number
  /** Stops the broadcast and resolves when every ffmpeg process is gone. */
  stop(): Promise<void>
  /** The running ffmpeg processes. */
  readonly processes: { encoder: number | undefined; otherEncoders: number[]; decoders: number[] }
}

interface BroadcastOptions {
  plan: PlaybackPlan
  /** Path or http address that ffmpeg can open. */
  source(media: MediaKey): Promise<string>
  /** Live audio over the plan, mixed in as late as possible. */
  microphones?: Pick<MicrophoneMixer, 'mix' | 'open'>
  /** Names of those whose microphones are open; what is mixed from now on is marked with them. */
  speakers?(): string[]
  /**
   * Called one at a time, in order; without a mount with a chunk of the first. A rejection means that the lease is lost and ends
   * production.
   */
  publish(chunk: FrameChunk, mount?: MountId): Promise<void>
  /** Station clock, ms; never goes back. */
  nowMs(): number
  /** The last published chunk of the first mount, if any. */
  after: FrameChunk | null
  /** The mounts beside the first, and the last published chunk of each that has one. */
  others?: { mounts: readonly Mount[]; after: ReadonlyMap<MountId, FrameChunk> }
  settings: { ffmpegPath: string; bitrate: number; crossfadeMs: number }
  /** Called when an encoder has died or hung. */
  onEncoderReplaced?: (mount: MountId) => void
  log: Logger
}

/**
 * Starts to broadcast: the plan is decoded, mixed, encoded and published in chunks of about half a second, to the
 * station clock and without gaps in the frame numbers.
 *
 * A broadcast continues from `after`. If that ended at most 15 s ago, everything due since then is
 * produced as fast as possible, so that the audio has no gap either; otherwise only the numbering continues.
 */
export function startBroadcast(options: BroadcastOptions): Broadcast {
  const { publish, nowMs, after, settings, log } = options
  const first = beginningOf(after, nowMs())
  const { start, firstHeard } = first
  const timeLine = createTimeLine({ sample: firstHeard, atMs: first.atMs }, first.stretch)
  const others = createOtherMounts({
    ...(options.others ?? { mounts: [], after: new Map() }),
    ...{ start, firstHeard, publish, log },
    timeOf: timeLine.timeOf,
    stretchBefore: timeLine.stretchBefore,
    ffmpegPath: settings.ffmpegPath,
    onProgress: () => pump.progress(),
    onReplaced: options.onEncoderReplaced,
  })
  const chunks = createFrameChunks({
    ...first,
    timeOf: timeLine.timeOf,
    stretchBefore: timeLine.stretchBefore,
    async publish(chunk) {
      if (options.others) await others.publishUntil((chunk.frame + chunk.frames) * FRAME_SAMPLES)
      await publish(chunk)
    },
    onLost(err) {
      log.warn({ err }, 'chunk refused; broadcast ended')
      stop()
    },
    log,
  })
  const playback = createPlayback({
    ...options,
    microphones: options.microphones ?? null,
    ...{ start, firstHeard },
    lastMarker: first.isFresh ? (after?.markers.at(-1) ?? null) : null,
    timeOf: timeLine.timeOf,
    ffmpegPath: settings.ffmpegPath,
    crossfadeMs: settings.crossfadeMs,
    onHeard(sample, placed) {
      chunks.heard(sample, placed)
      others.heard(sample, placed)
    },
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
    onReplaced: () => options.onEncoderReplaced?.(mountId({ codec: 'mp3', bitrate: settings.bitrate })),
    log,
  })
  const pump = startPump({
    ...{ encoder, others, playback, timeLine, nowMs, log },
    onMixed: (frame) => chunks.spoken(frame, options.speakers?.() ?? []),
  })

  async function stop() {
    pump.stop()
    const tooLong = sleep(LAST_PUBLICATION_TIMEOUT_MS, { ref: false })
    await Promise.all([
      encoder.stop(),
      others.stop(),
      playback.close(),
      Promise.race([chunks.stop(), tooLong]),
    ])
  }

  return {
    planChanged: pump.planChanged,
    get mixedUntilMs() {
      return timeLine.timeOf(encoder.offered * FRAME_SAMPLES)
    },
    frameAt: timeLine.frameAt,
    stop,
    get processes() {
      return { encoder: encoder.pid, otherEncoders: others.pids, decoders: playback.pids }
    },
  }
}
