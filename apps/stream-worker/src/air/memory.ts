import type { Ports } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import { chunkEndMs, type FrameChunk, type MountId, mountId, type Saved, sleep } from '@solstice/station'

const RETRY_MS = 1_000

/** The air as this process last saw it, in case Redis is emptied. */
export interface AirMemory {
  /** null = no state seen yet. */
  readonly saved: Saved | null
  /** The last chunk of a mount, by default of the first; null = none seen yet. */
  lastChunkOf(mount?: MountId): FrameChunk | null
}

/** Follows the air, on it or not, until `stopping` is aborted. */
export function rememberAir(
  { bus, clock, config, log }: Pick<Ports, 'bus' | 'clock' | 'config' | 'log'>,
  stopping: AbortSignal,
): AirMemory {
  let state: PlayoutState | null = null
  const lastChunks = new Map<MountId | undefined, FrameChunk>()

  const followStates = async (): Promise<void> => {
    try {
      const unfollow = await bus.follow((news) => {
        state = news
      })
      if (stopping.aborted) unfollow()
      else stopping.addEventListener('abort', unfollow, { once: true })
    } catch (error) {
      log.warn({ err: error }, 'air subscription failed; retrying')
      await sleep(RETRY_MS, { ref: false })
      if (!stopping.aborted) await followStates()
    }
  }
  const followFrames = async (mount?: MountId) => {
    for await (const chunk of bus.frames(stopping, mount)) lastChunks.set(mount, chunk)
  }
  void followStates()
  void followFrames()
  for (const mount of config.otherMounts) void followFrames(mountId(mount))

  return {
    get saved() {
      if (!state) return null
      // Without a stream every listener plays the files directly, so the air has continued until now.
      const lastChunk = lastChunks.get(undefined)
      const isHeard = state.pace === 'sound' && lastChunk !== undefined
      return { state, outbox: [], aliveAtMs: isHeard ? chunkEndMs(lastChunk) : clock.nowMs() }
    },
    lastChunkOf: (mount) => lastChunks.get(mount) ?? null,
  }
}
