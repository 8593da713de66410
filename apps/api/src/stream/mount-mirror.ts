import { type Bus, codecs, type FrameChunk, type Mount, mountId, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import { createRing, type Ring, type Segment } from './ring.ts'

/** For listeners who resume; one further behind has to start over. */
const KEEP_MS = 30_000
/** A mount is stale when its newest sound ended longer ago. */
const STALE_MS = 10_000
/** Tolerance for corrections of the clock while frames are counted. */
const SLACK_MS = 1_000

/** A mount as this replica knows it. */
export interface MountMirror {
  onChunk(listener: (segment: Segment) => void): Unsubscribe
  readonly newestChunk: FrameChunk | null
  readonly ring: Ring
  /** True while sound comes: the newest ended at most 10 s before `nowMs`. */
  isFresh(nowMs: number): boolean
}

/**
 * @param mount one beside the first; null for the first.
 * @returns the mirror, and a function that follows the mount until `signal` is aborted.
 */
export function createMountMirror(
  { bus, log }: { bus: Pick<Bus, 'frames'>; log: Logger },
  mount: Mount | null,
): { mirror: MountMirror; follow(signal: AbortSignal): Promise<void> } {
  const id = mount ? mountId(mount) : undefined
  const codec = codecs[mount?.codec ?? 'mp3']
  const { frameMs } = codec
  const ring = createRing(KEEP_MS, codec)
  const listeners = new Set<(segment: Segment) => void>()

  const take = (chunk: FrameChunk) => {
    const newest = ring.newest?.chunk
    if (newest) {
      const expected = newest.frame + newest.frames
      if (chunk.frame < expected && isRepeated(newest, chunk, frameMs)) return
      if (chunk.frame !== expected)
        log.warn({ expected, frame: chunk.frame, ...(id && { mount: id }) }, 'gap in the broadcast')
    }
    const segment = ring.add(chunk)
    for (const listener of listeners) listener(segment)
  }

  return {
    mirror: {
      ring,
      get newestChunk() {
        return ring.newest?.chunk ?? null
      },
      onChunk(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      isFresh(nowMs) {
        const newest = ring.newest?.chunk
        return newest !== undefined && nowMs - (newest.atMs + newest.frames * frameMs) <= STALE_MS
      },
    },
    async follow(signal) {
      for await (const chunk of bus.frames(signal, id)) take(chunk)
    },
  }
}

/**
 * True when a chunk repeats an earlier one. After Redis was emptied the count starts over; such a chunk is recognized by its time:
 * it is later, or, if the clock was set back as well, not the time at which the old count had that frame.
 */
function isRepeated(newest: FrameChunk, { frame, atMs }: FrameChunk, frameMs: number): boolean {
  const wasAtMs = newest.atMs - (newest.frame - frame) * frameMs
  return atMs <= Math.min(newest.atMs, wasAtMs + SLACK_MS) && atMs >= wasAtMs - KEEP_MS
}
