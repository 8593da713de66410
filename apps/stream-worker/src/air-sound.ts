import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bareEnvironment, type Ports } from '@solstice/adapters'
import { projectAir } from '@solstice/playout'
import {
  type AirLease,
  type FrameChunk,
  type MediaKey,
  type MountId,
  sleep,
  speakersOf,
} from '@solstice/station'
import type { Air } from './air/air.ts'
import { type Broadcast, type PlaybackPlan, startBroadcast } from './audio/broadcast.ts'
import { createMicrophoneMixer, type MicrophoneMixer } from './audio/microphone/mixer.ts'
import type { SecondChance } from './feeds/second-chance.ts'
import type { WorkerMetrics } from './metrics.ts'

const FFMPEG_TIMEOUT_MS = 10_000
const RETRY_MS = 1_000
/** Bounds how long commands, and their senders, wait for the sound to catch up. */
const CATCH_UP_TIMEOUT_MS = 3_000
const CATCH_UP_CHECK_MS = 20

/** The sound of the air as the rest of the worker sees it. There is none before it starts, nor in sync mode. */
export interface AirSound {
  /** As of `Broadcast`; 0 without sound. */
  readonly mixedUntilMs: number
  /** As of `Broadcast`; null without sound. */
  frameAt(atMs: number): number | null
  /** As of `Broadcast`. */
  planChanged(): void
  /** Switches to the given broadcast. */
  start(broadcast: Broadcast): void
  stop(): Promise<void>
}

export function createAirSound(): AirSound {
  let broadcast: Broadcast | null = null
  return {
    get mixedUntilMs() {
      return broadcast?.mixedUntilMs ?? 0
    },
    frameAt: (atMs) => broadcast?.frameAt(atMs) ?? null,
    planChanged: () => broadcast?.planChanged(),
    start(started) {
      broadcast = started
    },
    stop: async () => broadcast?.stop(),
  }
}

/**
 * Starts the broadcast of an air.
 *
 * @param source opens a file for the sound.
 * @param after the last chunk of the first mount on the air; `afterOthers`: those of the others.
 */
export function broadcastAir(
  { config, log, clock }: Pick<Ports, 'config' | 'log' | 'clock'>,
  air: Air,
  lease: Pick<AirLease, 'publish'>,
  options: {
    source(key: MediaKey): Promise<string>
    after: FrameChunk | null
    afterOthers: ReadonlyMap<MountId, FrameChunk>
    microphones: MicrophoneMixer | null
    secondChance: Pick<SecondChance, 'noteLeftOut' | 'noteLate'>
    metrics: WorkerMetrics
  },
): Broadcast {
  const { source, after, afterOthers, microphones, secondChance, metrics } = options
  return startBroadcast({
    plan: planOf(air, secondChance, metrics),
    source,
    ...(microphones && { microphones }),
    speakers: () => speakersOf(air.state),
    async publish(chunk, mount) {
      await air.save()
      await lease.publish(chunk, mount).catch((error) => {
        // A worker without sound must not hold the lease.
        air.fail(error)
        throw error
      })
    },
    nowMs: clock.nowMs,
    after,
    ...(config.otherMounts.length > 0 && { others: { mounts: config.otherMounts, after: afterOthers } }),
    settings: {
      ffmpegPath: config.ffmpegPath,
      bitrate: config.streamBitrate,
      crossfadeMs: config.crossfadeMs,
    },
    onEncoderReplaced(mount) {
      metrics.encodersReplaced.set(mount, (metrics.encodersReplaced.get(mount) ?? 0) + 1)
    },
    log,
  })
}

/** The air as the sound sees it. */
function planOf(
  air: Air,
  secondChance: Pick<SecondChance, 'noteLeftOut' | 'noteLate'>,
  metrics: WorkerMetrics,
): PlaybackPlan {
  return {
    at: (atMs) => projectAir(air.state, atMs),
    soundEnded: (entryId, atMs) => air.tell({ type: 'sound-ended', entryId }, atMs),
    unplayable(entryId, atMs) {
      secondChance.noteLeftOut('tracks')
      air.tell({ type: 'unplayable', entryId }, atMs)
    },
    blank(entryId, atMs, wasHeard) {
      metrics.blanksLeft++
      if (!wasHeard) secondChance.noteLeftOut('tracks')
      air.tell({ type: 'blank', entryId, wasHeard }, atMs)
    },
    late(entryId, atMs, wasHeard) {
      metrics.blanksLeft++
      secondChance.noteLate()
      air.tell({ type: 'blank', entryId, wasHeard }, atMs)
    },
    clipUnplayable(clipId, atMs) {
      secondChance.noteLeftOut('clips')
      air.tell({ type: 'clip-unplayable', clipId }, atMs)
    },
  }
}

/** Resolves when the sound has reached the present, or takes too long; from then on the clock decides. */
export async function catchUp(
  air: Air,
  sound: Pick<AirSound, 'mixedUntilMs'>,
  { clock }: Pick<Ports, 'clock'>,
): Promise<void> {
  const endMs = performance.now() + CATCH_UP_TIMEOUT_MS
  while (air.phase === 'catching-up' && sound.mixedUntilMs < clock.nowMs() && performance.now() < endMs)
    await sleep(CATCH_UP_CHECK_MS)
  air.endCatchUp()
}

/** Feeds the microphones of the people on the air to the mixer, until the air is left. */
export function connectMicrophones(
  air: Air,
  mixer: MicrophoneMixer,
  { microphones, log }: Pick<Ports, 'microphones' | 'log'>,
): void {
  const followPeople = () => {
    mixer.follow(air.state.live.participants).catch((error) => log.error({ err: error }, 'microphone failed'))
  }
  const listen = async (): Promise<void> => {
    try {
      const unsubscribe = await microphones.receive(mixer.receive)
      if (air.phase === 'leaving') unsubscribe()
      else air.leaving.addEventListener('abort', unsubscribe)
    } catch (error) {
      if (air.phase === 'leaving') return
      log.warn({ err: error }, 'microphone subscription failed; retrying')
      await sleep(RETRY_MS)
      if (!air.leaving.aborted) await listen()
    }
  }
  air.follow(followPeople)
  followPeople()
  void listen()
}

/** The mixer of all microphones; null when the station has no hosts. */
export function openMicrophones({ config, microphones, log }: Pick<Ports, 'config' | 'microphones' | 'log'>) {
  if (!config.radioHostsMode) return null
  const { askForHead, tellLevels } = microphones
  return createMicrophoneMixer({ askForHead, onLevels: tellLevels, log })
}

/** True in stream mode when ffmpeg can be started. */
export async function canBeHeard({ config, log }: Pick<Ports, 'config' | 'log'>): Promise<boolean> {
  if (!config.streamMode) return false
  const isThere = await promisify(execFile)(config.ffmpegPath, ['-version'], {
    timeout: FFMPEG_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: bareEnvironment(),
  }).then(
    () => true,
    () => false,
  )
  if (!isThere) log.error(`${config.ffmpegPath} cannot be started; no stream`)
  return isThere
}
