import type { FailureCode, FailureDetails } from '@solstice/contracts'
import type { Command, Effect, Outcome } from './commands/commands.ts'
import type { PlayoutState } from './state.ts'

/** A new state, and its effects outside the engine. */
export interface Step {
  state: PlayoutState
  effects: Effect[]
}

/** A step that answers a command. */
export type Decision<T extends Command['type'] = Command['type']> = Step & { outcome: Outcome<T> }

/** The step to a state. */
export function stepTo(state: PlayoutState, effects: Effect[] = []): Step {
  return { state, effects }
}

/** The step where nothing happens. */
export function unchanged(state: PlayoutState): Step {
  return stepTo(state)
}

/** A step followed by another one; the effects of both, in order. */
export function andThen({ state, effects }: Step, follow: (state: PlayoutState) => Step): Step {
  const next = follow(state)
  return stepTo(next.state, [...effects, ...next.effects])
}

/** Accepts a command. @param content what its answer tells, as `Accepted` names it. */
export function accepted(state: PlayoutState): Accepting<object>
export function accepted<C extends object>(state: PlayoutState, content: C, effects?: Effect[]): Accepting<C>
export function accepted(state: PlayoutState, content: object = {}, effects: Effect[] = []) {
  return acceptedBy(stepTo(state, effects), content)
}

/** Accepts a command that is carried out by a step. */
export function acceptedBy(step: Step): Accepting<object>
export function acceptedBy<C extends object>(step: Step, content: C): Accepting<C>
export function acceptedBy({ state, effects }: Step, content: object = {}) {
  return { state, effects, outcome: { ok: true, ...content } as const }
}

/** Refuses a command. Nearly always nothing has changed then, and nothing follows. */
export function refused(
  state: PlayoutState,
  code: FailureCode,
  details?: FailureDetails,
  effects: Effect[] = [],
): Step & { outcome: { ok: false; code: FailureCode; details?: FailureDetails } } {
  return { state, effects, outcome: { ok: false, code, ...(details && { details }) } }
}

type Accepting<C extends object> = Step & { outcome: { ok: true } & C }
