import type { Config } from '@solstice/adapters'
import { advance, type PlayoutState } from '@solstice/playout'
import { type Bus, type Mount, sleep, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import { createMountMirror, type MountMirror } from './mount-mirror.ts'

const RETRY_MS = 500

/** The air as this replica knows it: the worker's state, and the last seconds of the first mount and the others. */
export interface AirMirror extends MountMirror {
  /** null before the first state came. */
  readonly state: PlayoutState | null
  /** The state advanced to a moment, so that it is right also while no worker is alive; null before the first state. */
  at(nowMs: number): PlayoutState | null
  /** True when the saved state was read once, even if there was none. */
  readonly hasRead: boolean
  onState(listener: (state: PlayoutState, before: PlayoutState | null) => void): Unsubscribe
  /** The mounts beside the first, in their order. */
  readonly others: readonly { readonly mount: Mount; readonly mirror: MountMirror }[]
  close(): Promise<void>
}

/** All mounts of the stream, the first one first. */
export const mountsOf = (mirror: AirMirror, { streamBitrate }: Pick<Config, 'streamBitrate'>) => [
  { mount: { codec: 'mp3', bitrate: streamBitrate } as Mount, mirror: mirror as MountMirror },
  ...mirror.others,
]

/** Follows the air until closed, reconnecting as long as it takes. */
export function createAirMirror(deps: {
  bus: Pick<Bus, 'follow' | 'frames'>
  config: { readonly otherMounts: readonly Mount[] }
  log: Logger
}): AirMirror {
  const { bus, config, log } = deps
  const ending = new AbortController()
  const first = createMountMirror(deps, null)
  const others = config.otherMounts.map((mount) => ({ mount, ...createMountMirror(deps, mount) }))
  const stateListeners = new Set<(state: PlayoutState, before: PlayoutState | null) => void>()
  let state: PlayoutState | null = null
  let hasRead = false

  const takeState = (next: PlayoutState) => {
    const before = state
    state = next
    for (const listener of stateListeners) listener(next, before)
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
  const following = Promise.all([
    untilClosed('state', followState),
    ...[first, ...others].map(({ follow }) => untilClosed('broadcast', () => follow(ending.signal))),
  ])

  return {
    get state() {
      return state
    },
    at: (nowMs) => state && advance(state, nowMs).state,
    get hasRead() {
      return hasRead
    },
    ring: first.mirror.ring,
    get newestChunk() {
      return first.mirror.newestChunk
    },
    onChunk: first.mirror.onChunk,
    isFresh: first.mirror.isFresh,
    others,
    onState(listener) {
      stateListeners.add(listener)
      return () => stateListeners.delete(listener)
    },
    async close() {
      ending.abort()
      await following
    },
  }
}
