import type { Ports } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import { chunkEndMs, type FrameChunk, type Saved, sleep } from '@solstice/station'

const RETRY_MS = 1_000

/** The air as this process last saw it, in case Redis is emptied. */
export interface AirMemory {
  /** null = no state seen yet. */
  readonly saved: Saved | null
  readonly lastChunk: FrameChunk | null
}

/** Follows the air, on it or not, until `stopping` is aborted. */
export function rememberAir(
  { bus, clock, log }: Pick<Ports, 'bus' | 'clock' | 'log'>,
  stopping: AbortSignal,
): AirMemory {
  let state: PlayoutState | null = null
  let lastChunk: FrameChunk | null = null

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
  const followFrames = async () => {
    for await (const chunk of bus.frames(stopping)) lastChunk = chunk
  }
  void followStates()
  void followFrames()

  return {
    get saved() {
      if (!state) return null
      // Without a stream every listener plays the files directly, so the air has continued until now.
      const isHeard = state.pace === 'sound' && lastChunk !== null
      return { state, outbox: [], aliveAtMs: isHeard ? chunkEndMs(lastChunk!) : clock.nowMs() }
    },
    get lastChunk() {
      return lastChunk
    },
  }
}
