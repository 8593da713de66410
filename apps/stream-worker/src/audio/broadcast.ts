import { chunkEndMs, FRAME_MS, FRAME_SAMPLES, type FrameChunk, type MediaKey } from '@solstice/station'
import type { Logger } from 'pino'
import { PRIMING_FRAMES, startEncoder } from './codec/encoder.ts'
import { createFrameChunks } from './frame-chunks.ts'
import type { MicrophoneMixer } from './microphone/mixer.ts'
import { SAMPLES_PER_MS } from './pcm/ring.ts'
import { createPlayback, type PlaybackPlan } from './playback.ts'

export type { PlaybackPlan } from './playback.ts'

const TICK_MS = 100
/** Sound is mixed so long before it is due: a tick, and the time that the encoder needs. */
const LEAD_MS = 200
/** A broadcast that ended longer ago is not made up for: nobody's player has waited for it. */
const MAX_CATCH_UP_MS = 15_000
/** What is later than this is given up, and time starts anew at the present. */
const MAX_LATE_MS = 20_000
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

/**
 * Starts to broadcast: what the plan plans is decoded, mixed, encoded and published in chunks of about half a
 * second, on the beat of the station clock and without a hole in the frame numbers.
 *
 * A broadcast goes on from `after`: when that ended at most 15 s ago, everything that should have been heard since is
 * made up for as fast as possible, so that the sound has no hole either; otherwise only the numbers go on.
 */
export function startBroadcast(options: {
  plan: PlaybackPlan
  /** Path or http address that ffmpeg can open. */
  source(media: MediaKey): Promise<string>
  /** What is said over the plan; it is mixed in as late as possible. */
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
}): Broadcast {
  const { plan, source, microphones = null, publish, nowMs, after, settings, log } = options
  const first = firstFrame(after, nowMs())
  /** From which sample on the station time counts from which moment; the last that applies is true. */
  const timeAnchors = [{ sample: first.frame * FRAME_SAMPLES, atMs: first.atMs }]
  const timeOf = (sample: number) => {
    const epoch = timeAnchors.findLast((candidate) => candidate.sample <= sample) ?? timeAnchors[0]!
    return epoch.atMs + (sample - epoch.sample) / SAMPLES_PER_MS
  }

  let isWaiting = false
  let isBusy = false
  let isPlanNew = false
  let isStopped = false
  let wake: NodeJS.Immediate | null = null
  let checkedAtMs = performance.now()

  /** Mixes all that is due, as far as decoders and encoder keep up. */
  function pump() {
    if (isStopped || isBusy) return
    isBusy = true
    try {
      const now = nowMs()
      if (now - timeOf(encoder.offered * FRAME_SAMPLES) > MAX_LATE_MS) startAnew(now)
      isWaiting = false
      while (!isWaiting && timeOf(encoder.offered * FRAME_SAMPLES) <= now + LEAD_MS) {
        if (isPlanNew) sound.planChanged()
        isPlanNew = false
        if (encoder.hasRoom && sound.fill(encoder.block, now)) encoder.offer()
        else isWaiting = true
      }
      encoder.flush()
    } finally {
      isBusy = false
    }
  }

  function startAnew(now: number) {
    const sample = encoder.offered * FRAME_SAMPLES
    log.warn({ frame: encoder.offered, lateMs: now - timeOf(sample) }, 'too late; time starts anew')
    timeAnchors.splice(0, timeAnchors.length - 1)
    timeAnchors.push({ sample, atMs: now })
    sound.restart()
  }

  /** Goes on as soon as something that was waited for is there, not only with the next tick. */
  function progress() {
    if (!isWaiting || isStopped) return
    wake ??= setImmediate(() => {
      wake = null
      pump()
    })
  }

  async function stop() {
    isStopped = true
    clearInterval(ticker)
    if (wake) clearImmediate(wake)
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_PUBLICATION_TIMEOUT_MS)
    })
    await Promise.all([encoder.stop(), sound.close(), Promise.race([chunks.stop(), tooLong])])
    clearTimeout(timer)
  }

  const chunks = createFrameChunks({
    ...first,
    timeOf,
    publish,
    onLost(err) {
      log.warn({ err }, 'a chunk was refused; the broadcast ends here')
      stop()
    },
    log,
  })
  const sound = createPlayback({
    plan: plan,
    source,
    microphones,
    start: (first.frame - PRIMING_FRAMES) * FRAME_SAMPLES,
    firstHeard: first.frame * FRAME_SAMPLES,
    lastMarker: first.isFresh ? (after?.markers.at(-1) ?? null) : null,
    timeOf,
    ffmpegPath: settings.ffmpegPath,
    crossfadeMs: settings.crossfadeMs,
    onHeard: chunks.heard,
    onProgress: progress,
    log,
  })
  const encoder = startEncoder({
    ffmpegPath: settings.ffmpegPath,
    bitrate: settings.bitrate,
    first: first.frame,
    onFrame(frame) {
      chunks.add(frame)
      progress()
    },
    ...(options.onEncoderReplaced && { onReplaced: options.onEncoderReplaced }),
    log,
  })
  const ticker = setInterval(() => {
    const at = performance.now()
    encoder.check(at - checkedAtMs)
    sound.check(at - checkedAtMs)
    checkedAtMs = at
    pump()
  }, TICK_MS)
  pump()

  return {
    planChanged() {
      // The engine may say so while it is being told something: its answer is taken up right after that.
      isPlanNew = true
      pump()
    },
    get mixedUntilMs() {
      return timeOf(encoder.offered * FRAME_SAMPLES)
    },
    frameAt(atMs) {
      const epoch = timeAnchors.findLast((candidate) => candidate.atMs <= atMs) ?? timeAnchors[0]!
      return Math.floor((epoch.sample + (atMs - epoch.atMs) * SAMPLES_PER_MS) / FRAME_SAMPLES)
    },
    stop,
    get processes() {
      return { encoder: encoder.pid, decoders: sound.pids }
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

/** The station time from which a broadcast that ended with `after` is made up for; null = it ended too long ago. */
export function catchUpFrom(after: FrameChunk, nowMs: number): number | null {
  const endMs = chunkEndMs(after)
  return nowMs - endMs <= MAX_CATCH_UP_MS ? endMs : null
}
