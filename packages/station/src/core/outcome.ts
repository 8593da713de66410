import type { Accepted, Command, Outcome } from '@solstice/playout'
import type { Bus } from '../ports/bus.ts'
import { Failure } from './failure.ts'

/** Sends a command to the air. @throws Failure with the reason of a refusal; AIR_UNAVAILABLE */
export async function sendCommand<C extends Command>(
  bus: Pick<Bus, 'send'>,
  command: C,
): Promise<Accepted[C['type']]> {
  return accepted(await bus.send(command))
}

/** The answer in an outcome. @throws Failure when it is a refusal. */
export function accepted<T extends Command['type']>(outcome: Outcome<T>): Accepted[T] {
  if (!outcome.ok) throw new Failure(outcome.code, outcome.details)
  return outcome
}
