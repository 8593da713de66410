import type { AirTurn, PlayoutState } from './state.ts'
import type { Step } from './steps.ts'

/** Bounds what is saved at every change. */
const KNOWN_TURNS = 30

/** Notes it where a step changed the mode, or began or ended a live show (rule C3). */
export function noteTurn<S extends Step>(before: PlayoutState, step: S, atMs: number): S {
  const { state } = step
  const { mode, turns = [] } = state
  const { participants } = state.live
  const last = turns.at(-1) ?? { mode: before.mode, liveSinceMs: liveSinceMs(before) }
  if (mode === last.mode && participants.length > 0 === (last.liveSinceMs !== null)) return step
  const turn: AirTurn = { atMs, mode, liveSinceMs: liveSinceMs(state) }
  return { ...step, state: { ...state, turns: [...turns, turn].slice(-KNOWN_TURNS) } }
}

/** The moment since which somebody is on the air, whoever began; null = nobody is. */
export function liveSinceMs({ live, turns }: PlayoutState): number | null {
  if (live.participants.length === 0) return null
  return turns?.at(-1)?.liveSinceMs ?? Math.min(...live.participants.map(({ sinceMs }) => sinceMs))
}
