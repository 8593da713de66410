import { type Ports, workJobs } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import { sleep } from '@solstice/station'
import { processorsOf } from '../../../apps/jobs/src/processors/index.ts'
import { standBy } from '../../../apps/stream-worker/src/standby.ts'
import type { Teardown } from '../processes/processes.ts'
import { waiting } from '../until.ts'

/** The real jobs in this process, done as soon as they are requested, until the test ends. */
export async function startJobs(t: Teardown, ports: Ports): Promise<void> {
  const worker = await workJobs(ports.config.redis, processorsOf(ports), [], ports.log)
  t.teardown(() => worker.close())
}

export interface Air {
  /** The last saved state. */
  readonly state: PlayoutState
  /** Resolves with the first saved state that matches, the last one or a later one. */
  until(isLikeThis: (state: PlayoutState) => boolean): Promise<PlayoutState>
}

/**
 * The real stream worker in this process, in sync mode unless configured otherwise, until the test ends. Resolves when it
 * is on air: with a track that has begun, when the library has one for the current mode.
 */
export async function startAir(t: Teardown, ports: Ports): Promise<Air> {
  let state: PlayoutState | null = null
  const news = waiting()
  const unfollow = await ports.bus.follow((saved) => {
    state = saved
    news.changed()
  })
  t.teardown(unfollow)
  const until = async (isLikeThis: (state: PlayoutState) => boolean) => {
    let found: PlayoutState | null = null
    await news.until(`a state of the air: ${isLikeThis}`, () => {
      if (state !== null && isLikeThis(state)) found = state
      return found !== null
    })
    return found!
  }

  // The test's own library is complete: nothing has to be waited for.
  await ports.reconciliation.mark()
  const stopping = new AbortController()
  const done = standBy(ports, stopping.signal)
  t.teardown(async () => {
    stopping.abort()
    await done
  })
  const first = await until((saved) => saved.prepared[saved.mode] !== undefined)
  const hasMusic = (await ports.data.tracks.find({ mode: first.mode })).length > 0
  if (hasMusic) {
    const { onAir } = await until(({ onAir }) => onAir.phase === 'track')
    // With sound the first song begins a moment later, once its sound is ready.
    if (onAir.phase === 'track') await sleep(Math.max(0, onAir.startedAtMs - ports.clock.nowMs()))
  }
  return {
    get state() {
      return state!
    },
    until,
  }
}
