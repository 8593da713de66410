import type { Sound } from '../player.ts'
import { createRetry } from '../retry.ts'
import type { LagMeter } from './lag.ts'
import type { StreamRequest } from './request.ts'
import { createResumePoint } from './resume-point.ts'

/** How the sound broke: it came too slowly, or it was refused or cut off. */
export type SoundBreak = 'stalled' | 'refused'

/** Keeps the request for the broadcast open, and opens it again when it breaks. */
export interface StreamLoader {
  /** True when the listener wants to hear the broadcast. */
  readonly isActive: boolean
  start(): void
  /** Drops the request, for this reason. */
  stop(reason: Sound): void
  /** Pauses, since the system did. The request stays for a while: after a call systems start an element only if it has a source. */
  rest(): void
  /** Opens it at the live edge. */
  reopen(): void
  /** Opens it where it is, because it should be another one. */
  change(): void
  /** It broke: opens it later, at the frame where it was, unless that is too far behind by then. */
  retryLater(because: 'not-ready' | 'lost', how: SoundBreak): void
  /** The element reported an error: its cause is found out, then it is retried. */
  failed(): Promise<void>
  /** The stream plays: a later failure is retried quickly again. */
  succeeded(): void
}

interface Dependencies {
  request: StreamRequest
  lag: LagMeter
  onSound: (sound: Sound) => void
  /** The sound broke, and a retry is due. */
  onBreak: (how: SoundBreak) => void
}

export function createStreamLoader(deps: Dependencies): StreamLoader {
  const { request, lag, onSound, onBreak } = deps
  const retry = createRetry()
  const resumePoint = createResumePoint(lag)
  let isActive = false

  async function open(): Promise<void> {
    retry.cancel()
    lag.reset()
    const result = await request.open(resumePoint.lagS(), lag.opened)
    if (result === 'blocked') stop({ is: 'blocked' })
    else if (result === 'unavailable') retryLater('lost', 'stalled')
  }

  function drop(): void {
    retry.cancel()
    lag.reset()
    request.drop()
  }

  function stop(reason: Sound): void {
    isActive = false
    drop()
    onSound(reason)
  }

  function rest(): void {
    isActive = false
    lag.reset()
    retry.cancel()
    request.dropLater()
    onSound({ is: 'paused' })
  }

  function retryLater(because: 'not-ready' | 'lost', how: SoundBreak): void {
    if (!isActive) return
    resumePoint.mark()
    drop()
    onSound({ is: 'retrying', because })
    retry.schedule(open)
    // It may end this loader.
    if (because === 'lost') onBreak(how)
  }

  return {
    get isActive() {
      return isActive
    },
    start() {
      isActive = true
      resumePoint.clear()
      retry.reset()
      onSound({ is: 'starting' })
      void open()
    },
    stop,
    rest,
    reopen() {
      resumePoint.clear()
      void open()
    },
    change() {
      if (!isActive || !request.isOpen()) return
      resumePoint.mark()
      drop()
      onSound({ is: 'starting' })
      void open()
    },
    retryLater,
    async failed() {
      if (!isActive || !request.isOpen()) return
      const cause = await request.diagnose()
      if (cause !== 'superseded') retryLater(cause, 'refused')
    },
    succeeded() {
      resumePoint.clear()
      retry.reset()
    },
  }
}
