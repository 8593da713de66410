import { setMaxListeners } from 'node:events'
import {
  type Fact,
  type Input,
  nextDueMs,
  type Outcome,
  type PlayoutState,
  type Step,
  step,
} from '@solstice/playout'
import type { Logbook, OutboxEntry, StationClock } from '@solstice/station'
import type { Logger } from 'pino'
import type { SaveLoop } from './save-loop.ts'

/**
 * `catching-up`: the sound has not reached the present, and nothing may end what listeners have still to hear. `on-air`: the
 * clock counts. `leaving`: the lease is lost, the state cannot be saved, or the process is told to end.
 */
export type Phase = 'catching-up' | 'on-air' | 'leaving'

/** The state of the air in this process. Every change goes through `take`. */
export interface Air {
  readonly state: PlayoutState
  readonly phase: Phase
  /** Aborted when the phase becomes `leaving`. */
  readonly leaving: AbortSignal
  /**
   * Tells the engine something: the new state is saved, with a line of the logbook, then answered, then acted upon.
   *
   * @param answer makes the answer to whoever asked, of the engine's outcome.
   * @throws what the engine throws; nothing has changed then.
   */
  take(input: Input, atMs: number, answer?: (outcome: Outcome | undefined) => OutboxEntry): void
  /** Reports a fact to the engine, at the given moment or now. */
  tell(fact: Fact, atMs?: number): void
  /** Applies everything that is due by the given moment or now; nothing while catching up. */
  passTime(nowMs?: number): void
  /** Ends catching up: the sound has reached the present, or there is none. From now on the clock decides. */
  endCatchUp(): void
  /** Calls `listener` after each change, with the state before it, until the air is left. */
  follow(listener: (before: PlayoutState) => void): void
  /** Resolves when all changes so far are saved. @throws when the lease is lost */
  save(): Promise<void>
  /** Leaves the air because of an error. */
  fail(error: unknown): void
}

/** The longest delay that a Node timer can take. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @param start.before the state that the first step was made from; `told`: its lines of the logbook.
 * @param ending leaves the air when it is aborted.
 * @param planChanged called when time alone has changed what is to be heard.
 * @param logbook null = none is kept.
 */
export function createAir(
  saved: SaveLoop,
  start: { before: PlayoutState; step: Step; told?: readonly OutboxEntry[] },
  ending: readonly AbortSignal[],
  { clock, log }: { clock: Pick<StationClock, 'nowMs'>; log: Pick<Logger, 'error'> },
  planChanged: () => void,
  logbook: Pick<Logbook, 'note'> | null = null,
): Air {
  const failed = new AbortController()
  const leaving = AbortSignal.any([...ending, failed.signal])
  // Every part of the worker listens to this signal.
  setMaxListeners(0, leaving)
  const listeners: ((before: PlayoutState) => void)[] = []
  let { state } = start.step
  let phase: Phase = leaving.aborted ? 'leaving' : 'catching-up'
  let dueTimer: NodeJS.Timeout | undefined
  saved.add(start.before, start.step, start.told)

  const keepTime = () => {
    clearTimeout(dueTimer)
    if (phase !== 'on-air') return
    const dueMs = nextDueMs(state)
    // A timer may fire a little early: advance() then does nothing and a timer for the rest is set.
    if (dueMs === null) return
    const waitMs = Math.max(0, Math.ceil(dueMs - clock.nowMs()))
    dueTimer = setTimeout(onDue, Math.min(waitMs, MAX_TIMER_MS))
  }
  const onDue = () => {
    air.passTime()
    keepTime()
    planChanged()
  }
  leaving.addEventListener('abort', () => {
    phase = 'leaving'
    clearTimeout(dueTimer)
  })

  const air: Air = {
    get state() {
      return state
    },
    get phase() {
      return phase
    },
    leaving,
    take(input, atMs, answer) {
      const before = state
      const taken = step(before, input, atMs)
      if (taken.state === before && taken.effects.length === 0) return
      const told = logbook ? [logbook.note(before, input, atMs, taken.state)] : []
      saved.add(before, taken, answer ? [answer(taken.outcome), ...told] : told)
      state = taken.state
      if (phase === 'leaving') return
      keepTime()
      for (const listener of listeners) listener(before)
      air.save().catch(air.fail)
    },
    tell(fact, atMs = clock.nowMs()) {
      air.take({ type: 'fact', fact }, atMs)
    },
    passTime(nowMs = clock.nowMs()) {
      if (phase === 'on-air') air.take({ type: 'time' }, nowMs)
    },
    endCatchUp() {
      if (phase !== 'catching-up') return
      phase = 'on-air'
      onDue()
    },
    follow: (listener) => void listeners.push(listener),
    save: () => (saved.isSaved ? Promise.resolve() : saved.save()),
    fail(error) {
      if (phase !== 'leaving') log.error({ err: error }, 'state could not be saved; going off air')
      failed.abort()
    },
  }
  return air
}
