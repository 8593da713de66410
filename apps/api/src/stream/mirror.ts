import { advance, type PlayoutState } from '@solstice/playout'
import { type Bus, FRAME_MS, type FrameChunk, sleep, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import { createRing, type Ring, type Segment } from './ring.ts'

/** For listeners who resume; one further behind has to start over. */
const KEEP_MS = 30_000
/** The air is stale when its newest sound ended longer ago. */
const STALE_MS = 10_000
const RETRY_MS = 500
/** Tolerance for corrections of the clock while frames are counted. */
const SLACK_MS = 1_000

/** The air as this replica knows it: the worker's state, and the last seconds of the broadcast. */
export interface AirMirror {
  /** null before the first state came. */
  readonly state: PlayoutState | null
  /** The state advanced to a moment, so that it is right also while no worker is alive; null before the first state. */
  at(nowMs: number): PlayoutState | null
  /** True when the saved state was read once, even if there was none. */
  readonly hasRead: boolean
  onState(listener: (state: PlayoutState, before: PlayoutState | null) => void): Unsubscribe
  onChunk(listener: (segment: Segment) => void): Unsubscribe
  readonly newestChunk: FrameChunk | null
  readonly ring: Ring
  /** True while sound comes: the newest ended at most 10 s before `nowMs`. */
  isFresh(nowMs: number): boolean
  close(): Promise<void>
}

/** Follows the air until closed, reconnecting as long as it takes. */
export function createAirMirror(deps: { bus: Pick<Bus, 'follow' | 'frames'>; log: Logger }): AirMirror {
  const { bus, log } = deps
  const ending = new AbortController()
  const ring = createRing(KEEP_MS)
  const stateListeners = new Set<(state: PlayoutState, before: PlayoutState | null) => void>()
  const chunkListeners = new Set<(segment: Segment) => void>()
  let state: PlayoutState | null = null
  let hasRead = false

  const takeState = (next: PlayoutState) => {
    const before = state
    state = next
    for (const listener of stateListeners) listener(next, before)
  }

  const takeChunk = (chunk: FrameChunk) => {
    const newest = ring.newest?.chunk
    if (newest) {
      const expected = newest.frame + newest.frames
      if (chunk.frame < expected && isRepeated(newest, chunk)) return
      if (chunk.frame !== expected) log.warn({ expected, frame: chunk.frame }, 'gap in the broadcast')
    }
    const segment = ring.add(chunk)
    for (const listener of chunkListeners) listener(segment)
  }

  const untilClosed = async (what: string, follow: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (!ending.signal.aborted) log.warn({ err: error }, `${what} interrupted; retrying`)
      }
      await sleep(RETRY_MS, { signal: ending.signal }).catch(() => {})
    }
  }

  const followState = async () => {
    const unfollow = await bus.follow(takeState)
    hasRead = true
    if (!ending.signal.aborted) {
      await new Promise<void>((resolve) =>
        ending.signal.addEventListener('abort', () => resolve(), { once: true }),
      )
    }
    unfollow()
  }
  const followChunks = async () => {
    for await (const chunk of bus.frames(ending.signal)) takeChunk(chunk)
  }
  const following = Promise.all([untilClosed('state', followState), untilClosed('broadcast', followChunks)])

  return {
    get state() {
      return state
    },
    at: (nowMs) => state && advance(state, nowMs).state,
    get hasRead() {
      return hasRead
    },
    get newestChunk() {
      return ring.newest?.chunk ?? null
    },
    ring,
    onState: (listener) => subscribe(stateListeners, listener),
    onChunk: (listener) => subscribe(chunkListeners, listener),
    isFresh(nowMs) {
      const newest = ring.newest?.chunk
      return newest !== undefined && nowMs - (newest.atMs + newest.frames * FRAME_MS) <= STALE_MS
    },
    async close() {
      ending.abort()
      await following
    },
  }
}

/**
 * True when a chunk repeats an earlier one. After Redis was emptied the count starts over; such a chunk is recognized by its time:
 * it is later, or, if the clock was set back as well, not the time at which the old count had that frame.
 */
function isRepeated(newest: FrameChunk, { frame, atMs }: FrameChunk): boolean {
  const wasAtMs = newest.atMs - (newest.frame - frame) * FRAME_MS
  return atMs <= Math.min(newest.atMs, wasAtMs + SLACK_MS) && atMs >= wasAtMs - KEEP_MS
}

function subscribe<L>(listeners: Set<L>, listener: L): Unsubscribe {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
