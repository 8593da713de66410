import {
  codecs,
  type FrameChunk,
  type Mount,
  type MountId,
  mountId,
  SAMPLE_RATE,
  type Stretch,
} from '@solstice/station'
import type { Logger } from 'pino'
import { type MountEncoder, startMountEncoder } from './codec/mount-encoder.ts'
import { createOpusPager } from './codec/opus-pages.ts'
import { createMarkers } from './markers.ts'
import type { Placed } from './sequencer/air-entry.ts'

/** A mount that has produced nothing for so long is published later; the others do not wait for it. */
const PATIENCE_MS = 500
/** Frames that waited longer to be published are of no use to anyone. */
const KEPT_S = 30
/** A mount that ended further ahead of the first one was counted from another clock. */
const MAX_AHEAD_S = 20

/** The mounts beside the first, made of the same samples. */
export interface OtherMounts {
  /** False while an encoder that works is behind; do not mix anything then. */
  readonly hasRoom: boolean
  /** Takes the next samples of the broadcast. */
  take(samples: Int16Array): void
  flush(): void
  /** Replaces hanging encoders. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Notes the sound that starts at a sample; null for silence. */
  heard(sample: number, placed: Placed | null): void
  /**
   * Publishes what each mount has up to a sample. The first mount waits for this before it publishes as much, so that a worker
   * that takes over finds no mount behind the first.
   */
  publishUntil(sample: number): Promise<void>
  readonly pids: number[]
  stop(): Promise<void>
}

interface Options {
  mounts: readonly Mount[]
  /** The last published chunk of each mount that has one. */
  after: ReadonlyMap<MountId, FrameChunk>
  /** Number of the first sample that will come, and of the first one that the first mount publishes. */
  start: number
  firstHeard: number
  timeOf(sample: number): number
  stretchBefore(sample: number): Stretch
  publish(chunk: FrameChunk, mount: MountId): Promise<void>
  ffmpegPath: string
  /** Called when an encoder makes progress. */
  onProgress(): void
  onReplaced?: ((mount: MountId) => void) | undefined
  log: Logger
}

export function createOtherMounts(options: Options): OtherMounts {
  const all = options.mounts.map((mount) => startMount(mount, options))
  return {
    get hasRoom() {
      return all.every(({ encoder }) => encoder.hasRoom)
    },
    take(samples) {
      for (const { encoder } of all) encoder.take(samples)
    },
    flush() {
      for (const { encoder } of all) encoder.flush()
    },
    check(elapsedMs) {
      for (const { encoder } of all) encoder.check(elapsedMs)
    },
    heard(sample, placed) {
      for (const mount of all) mount.heard(sample, placed)
    },
    async publishUntil(sample) {
      await Promise.all(all.map((mount) => mount.ready(sample)))
      for (const { id, cut } of all) {
        const chunk = cut(sample)
        if (chunk) await options.publish(chunk, id)
      }
    },
    get pids() {
      return all.flatMap(({ encoder }) => encoder.pid ?? [])
    },
    async stop() {
      await Promise.all(all.map((mount) => mount.stop()))
    },
  }
}

interface RunningMount {
  readonly id: MountId
  readonly encoder: MountEncoder
  heard(sample: number, placed: Placed | null): void
  /** Resolves when all frames up to a sample are there, or when it takes too long; at once while the mount is late. */
  ready(sample: number): Promise<void>
  /** Takes the frames up to a sample; null when there are none. */
  cut(sample: number): FrameChunk | null
  stop(): Promise<void>
}

function startMount(mount: Mount, options: Options): RunningMount {
  const id = mountId(mount)
  const { frameSamples } = codecs[mount.codec]
  const most = Math.ceil((KEPT_S * SAMPLE_RATE) / frameSamples)
  const place = placeBehind(options.after.get(id), Math.ceil(options.firstHeard / frameSamples), mount)
  const markers = createMarkers(frameSamples)
  const pager = mount.codec === 'opus' ? createOpusPager(options.after.get(id) ?? null) : null
  const waiting = createPatience()
  let { byte } = place
  /** Number of the first gathered frame. */
  let from = place.frame
  let gathered: Buffer[] = []
  const endOf = (sample: number) => Math.ceil(sample / frameSamples)
  const encoder = startMountEncoder({
    ...options,
    ...{ mount, first: place.frame },
    onReplaced: () => options.onReplaced?.(id),
    onFrame(frame, number) {
      // Frames were left out, and with them those that did not get published.
      if (number !== from + gathered.length) {
        gathered = []
        from = number
      }
      gathered.push(frame)
      if (gathered.length > most) {
        gathered.shift()
        from++
      }
      waiting.progress(from + gathered.length)
      options.onProgress()
    },
  })
  return {
    id,
    encoder,
    heard: markers.heard,
    ready: (sample) => waiting.until(endOf(sample), from + gathered.length),
    cut(sample) {
      const frames = Math.min(gathered.length, Math.max(0, endOf(sample) - from))
      if (frames === 0) return null
      const cut = {
        frame: from,
        frames: gathered.splice(0, frames),
        markers: markers.of(from, from + frames),
      }
      const audio = pager?.pages(cut, markers.at(from + frames)) ?? Buffer.concat(cut.frames)
      const atMs = options.timeOf(from * frameSamples)
      const stretch = options.stretchBefore((from + frames) * frameSamples)
      const chunk = { frame: from, frames, atMs, byte, audio, markers: cut.markers, stretch }
      from += frames
      byte += audio.length
      return chunk
    },
    async stop() {
      waiting.stop()
      await encoder.stop()
    },
  }
}

/** Where a mount goes on: behind its last chunk, or with the first mount when that is nowhere near. */
function placeBehind(after: FrameChunk | undefined, firstDue: number, { codec }: Mount) {
  if (!after) return { frame: firstDue, byte: 0 }
  const end = after.frame + after.frames
  const isNear = Math.abs(end - firstDue) * codecs[codec].frameSamples <= MAX_AHEAD_S * SAMPLE_RATE
  return { frame: isNear ? end : firstDue, byte: after.byte + after.audio.length }
}

/** Waits for a frame, as long as frames come. */
function createPatience() {
  let isLate = false
  let wait: { end: number; done(): void; timer: NodeJS.Timeout } | null = null
  const stop = () => {
    if (!wait) return
    clearTimeout(wait.timer)
    wait.done()
    wait = null
  }
  return {
    until(end: number, reached: number): Promise<void> {
      if (reached >= end) {
        isLate = false
        return Promise.resolve()
      }
      if (isLate) return Promise.resolve()
      return new Promise((done) => {
        const giveUp = () => {
          isLate = true
          stop()
        }
        wait = { end, done, timer: setTimeout(giveUp, PATIENCE_MS) }
      })
    },
    progress(reached: number) {
      if (!wait) return
      if (reached >= wait.end) stop()
      else wait.timer.refresh()
    },
    stop,
  }
}
