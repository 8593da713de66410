import type { Command, Fact, Outcome } from '../model/commands/commands.ts'
import type { PlayoutState } from '../model/state.ts'
import { type Step, stepTo } from '../model/steps.ts'
import { advance } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

/** What the engine is told: each state follows from the one before, an input and its moment. Plain JSON, so that it can be kept. */
export type Input =
  | { type: 'time' }
  /** `id`: its place among the commands that were sent; absent = the worker's own. */
  | { type: 'command'; command: Command; id?: string }
  /** A command that this version does not know. */
  | { type: 'unknown-command'; id: string }
  | { type: 'fact'; fact: Fact }
  /** A worker takes up the state; `silentFromMs` as in `resume`. */
  | { type: 'takeover'; silentFromMs: number }

/** The next state; with the answer, if the input is a command. @throws TypeError for a command of an unknown type */
export function step(state: PlayoutState, input: Input, atMs: number): Step & { outcome?: Outcome } {
  switch (input.type) {
    case 'time':
      return advance(state, atMs)
    case 'command': {
      const decision = apply(state, input.command, atMs)
      const { id } = input
      return id === undefined ? decision : { ...decision, state: { ...decision.state, appliedThrough: id } }
    }
    case 'unknown-command':
      return stepTo({ ...state, appliedThrough: input.id })
    case 'fact':
      return learn(state, input.fact, atMs)
    case 'takeover':
      return resume(state, input.silentFromMs, atMs)
  }
}
