import {
  type Bus,
  chunkEndMs,
  codecs,
  type FrameChunk,
  type Mount,
  type MountId,
  type SoundMarker,
  type StationClock,
  sleep,
} from '@solstice/station'
import type { Logger } from 'pino'
import { type BroadcastFrames, printOf } from './ear/comparison.ts'
import { framesIn } from './ear/frames.ts'
import { type Missing, RESERVE_MS } from './judge.ts'

/** Longer than listeners are behind. */
const KEPT_MS = 60_000
const RETRY_MS = 500
/** Connections begin some seconds back: what they bring may still have these. */
const KEPT_HOLES = 20

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
  /** Counts the holes in the numbers: those who counted on before this knew of one have wrong numbers behind it. */
  readonly holes: number
  /** The last hole for which nothing else accounts, and when it came by the clock of this process; null = there was none. */
  readonly leftOut: Missing | null
}

/** Follows a mount until `signal` is aborted. @param mount null = the first. */
export function followBroadcast(
  { bus, log, clock }: { bus: Pick<Bus, 'frames'>; log: Logger; clock: Pick<StationClock, 'nowMs'> },
  codec: Mount['codec'],
  mount: MountId | undefined,
  signal: AbortSignal,
): { broadcast: Broadcast; followed: Promise<void> } {
  const { broadcast, take } = createBroadcast(codec, { sinceMs: clock.nowMs() })
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

/** @param options.sinceMs station time from which on holes count: a monitor that starts reads sound of before. */
export function createBroadcast(
  codec: Mount['codec'],
  { sinceMs = Number.NEGATIVE_INFINITY, now = () => performance.now() } = {},
): {
  broadcast: Broadcast
  take(chunk: FrameChunk): void
} {
  const { frameMs, frameSamples } = codecs[codec]
  const kept = Math.round(KEPT_MS / frameMs)
  const prints = new Map<number, string>()
  let markers: { frame: number; marker: SoundMarker | null }[] = []
  let cameAtMs = Number.NEGATIVE_INFINITY
  let last: FrameChunk | null = null
  let holes = 0
  let skipped: { after: number; next: number }[] = []
  let leftOut: Missing | null = null

  const isFault = (before: FrameChunk, chunk: FrameChunk) =>
    chunk.atMs >= sinceMs && now() - cameAtMs < RESERVE_MS && !isCountedAnew(before, chunk, frameSamples)
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
        const [after, frames] = [expected - 1, chunk.frame - expected]
        // Numbers that begin anew below come to the old ones once more.
        skipped = frames > 0 ? [...skipped.slice(1 - KEPT_HOLES), { after, next: chunk.frame }] : []
        if (last && frames > 0 && isFault(last, chunk)) leftOut = { after, frames, atMs: now() }
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
      cameAtMs = now()
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
      get leftOut() {
        return leftOut
      },
      printOf: (frame) => prints.get(frame),
      following: (frame) => skipped.findLast(({ after }) => after === frame)?.next ?? frame + 1,
      markersFrom(from, to) {
        const first = markers.findLastIndex(({ frame }) => frame <= from)
        if (first < 0 || last === null || to >= last.frame + last.frames) return null
        return markers.slice(first).flatMap(({ frame, marker }) => (frame <= to ? [marker] : []))
      },
      markerAt: (at) => markers.findLast(({ frame }) => frame <= at)?.marker,
    },
  }
}

/** A station without a memory, because Redis was emptied, counts on from the clock, in a stretch that begins with the chunk. */
const isCountedAnew = (
  { stretch: before }: FrameChunk,
  { frame, stretch }: FrameChunk,
  frameSamples: number,
) => stretch !== undefined && stretch.number !== before?.number && stretch.sample > (frame - 1) * frameSamples
