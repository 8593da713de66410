import {
  type Bus,
  chunkEndMs,
  codecs,
  type FrameChunk,
  type Mount,
  type MountId,
  type SoundMarker,
  sleep,
} from '@solstice/station'
import type { Logger } from 'pino'
import { type BroadcastFrames, printOf } from './ear/comparison.ts'
import { framesIn } from './ear/frames.ts'

/** Longer than listeners are behind. */
const KEPT_MS = 60_000
const RETRY_MS = 500

/** A mount as it was broadcast: what replicas should be handing out. */
export interface Broadcast extends BroadcastFrames {
  /** The last chunk; null before any. */
  readonly chunk: FrameChunk | null
  /** When it came, by the clock of this process. */
  readonly cameAtMs: number
  /** The sound at a frame; null in silence, undefined when it is not known. */
  markerAt(frame: number): SoundMarker | null | undefined
  /** Sounds heard from one frame to another, in order; null when not all of them are known. */
  markersFrom(from: number, to: number): (SoundMarker | null)[] | null
  /** Counts the holes in the numbers, behind which the numbers of those who listen are not theirs any more. */
  readonly holes: number
}

/** Follows a mount until `signal` is aborted. @param mount null = the first. */
export function followBroadcast(
  { bus, log }: { bus: Pick<Bus, 'frames'>; log: Logger },
  codec: Mount['codec'],
  mount: MountId | undefined,
  signal: AbortSignal,
): { broadcast: Broadcast; followed: Promise<void> } {
  const { broadcast, take } = createBroadcast(codec)
  const follow = async () => {
    while (!signal.aborted) {
      try {
        for await (const chunk of bus.frames(signal, mount)) take(chunk)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, mount }, 'monitor lost the broadcast; retrying')
      }
      await sleep(RETRY_MS, { signal }).catch(() => {})
    }
  }
  return { broadcast, followed: follow() }
}

export function createBroadcast(codec: Mount['codec']): {
  broadcast: Broadcast
  take(chunk: FrameChunk): void
} {
  const { frameMs } = codecs[codec]
  const kept = Math.round(KEPT_MS / frameMs)
  const prints = new Map<number, string>()
  let markers: { frame: number; marker: SoundMarker | null }[] = []
  let cameAtMs = Number.NEGATIVE_INFINITY
  let last: FrameChunk | null = null
  let holes = 0

  const forget = (end: number) => {
    for (const [number] of prints) {
      if (number >= end - kept) break
      prints.delete(number)
    }
    const oldest = markers.findLastIndex(({ frame }) => frame <= end - kept)
    markers = markers.slice(Math.max(0, oldest))
  }
  return {
    take(chunk) {
      const expected = last ? last.frame + last.frames : chunk.frame
      if (last && chunk.frame < expected && chunk.atMs < chunkEndMs(last)) return
      if (chunk.frame !== expected) {
        holes++
        prints.clear()
        markers = []
      }
      framesIn(codec, chunk.audio).forEach((frame, i) => {
        prints.set(chunk.frame + i, printOf(frame))
      })
      if (chunk.markers[0]?.frame !== chunk.frame) markers.push({ frame: chunk.frame, marker: null })
      for (const marker of chunk.markers)
        markers.push({ frame: marker.frame, marker: marker.entryId === null ? null : marker })
      last = chunk
      cameAtMs = performance.now()
      forget(chunk.frame + chunk.frames)
    },
    broadcast: {
      frameMs,
      get newest() {
        return last && last.frame + last.frames - 1
      },
      get chunk() {
        return last
      },
      get cameAtMs() {
        return cameAtMs
      },
      get holes() {
        return holes
      },
      printOf: (frame) => prints.get(frame),
      markersFrom(from, to) {
        const first = markers.findLastIndex(({ frame }) => frame <= from)
        if (first < 0 || last === null || to >= last.frame + last.frames) return null
        return markers.slice(first).flatMap(({ frame, marker }) => (frame <= to ? [marker] : []))
      },
      markerAt: (at) => markers.findLast(({ frame }) => frame <= at)?.marker,
    },
  }
}
