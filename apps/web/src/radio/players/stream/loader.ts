import { localNowMs } from '../../connection/station-clock.ts'
import type { Sound } from '../player.ts'
import { createRetry } from '../retry.ts'
import type { LagMeter } from './lag.ts'
import type { StreamRequest } from './request.ts'

/** Keeps the request for the broadcast open, and opens it again when it breaks. */
export interface StreamLoader {
  /** True when the listener wants to hear the broadcast. */
  readonly isActive: boolean
  isOpen(): boolean
  /** Changes whenever the request is opened or dropped. */
  generation(): number
  start(): void
  /** Drops the request, for this reason. */
  stop(reason: Sound): void
  /** Opens it at the live edge. */
  reopen(): void
  /** Opens it where it is, because it should be another one. */
  change(): void
  /** It broke: opens it later, at the frame where it was, unless that is too far behind by then. */
  retryLater(because: 'not-ready' | 'lost'): void
  /** The element reported an error: its cause is found out, then it is retried. */
  failed(): Promise<void>
  /** The stream plays: a later failure is retried quickly again. */
  succeeded(): void
}

/** @param deps.onBreak called when the sound broke, and a retry is due. */
export function createStreamLoader(deps: {
  request: StreamRequest
  lag: LagMeter
  onSound: (sound: Sound) => void
  onBreak: () => void
}): StreamLoader {
  const { request, lag, onSound, onBreak } = deps
  const retry = createRetry()
  let isActive = false
  /** How far behind the listener was when the stream broke, and when that was. */
  let broken: { lagS: number; atMs: number } | null = null

  const behindS = ({ lagS, atMs }: NonNullable<typeof broken>) => lagS + (localNowMs() - atMs) / 1000

  async function open(): Promise<void> {
    retry.cancel()
    lag.reset()
    const from = broken
    const isResumable = from && !lag.isFarBehind(behindS(from))
    const result = await request.open(isResumable ? () => behindS(from) : null, lag.opened)
    if (result === 'blocked') stop({ is: 'blocked' })
    else if (result === 'unavailable') retryLater('lost')
  }

  function drop(): void {
    retry.cancel()
    lag.reset()
    request.drop()
  }

  /** Drops the request, and remembers where it was. */
  function leave(): void {
    const lagS = lag.measure()
    if (lagS !== null) broken = { lagS, atMs: localNowMs() }
    drop()
  }

  function stop(reason: Sound): void {
    isActive = false
    drop()
    onSound(reason)
  }

  function retryLater(because: 'not-ready' | 'lost'): void {
    if (!isActive) return
    leave()
    onSound({ is: 'retrying', because })
    retry.schedule(open)
    // It may end this loader.
    if (because === 'lost') onBreak()
  }

  return {
    get isActive() {
      return isActive
    },
    isOpen: request.isOpen,
    generation: request.generation,
    start() {
      isActive = true
      broken = null
      retry.reset()
      onSound({ is: 'starting' })
      void open()
    },
    stop,
    reopen() {
      broken = null
      void open()
    },
    change() {
      if (!isActive || !request.isOpen()) return
      leave()
      onSound({ is: 'starting' })
      void open()
    },
    retryLater,
    async failed() {
      if (!isActive || !request.isOpen()) return
      const cause = await request.diagnose()
      if (cause !== 'superseded') retryLater(cause)
    },
    succeeded() {
      broken = null
      retry.reset()
    },
  }
}
