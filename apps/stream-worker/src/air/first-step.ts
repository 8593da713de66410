import { randomInt } from 'node:crypto'
import { type Effect, type Input, initialState, type PlayoutState, type Step, step } from '@solstice/playout'
import {
  type AirLease,
  chunkEndMs,
  type FrameChunk,
  type Logbook,
  type Saved,
  type Told,
} from '@solstice/station'
import type { StationFact } from './station-fact.ts'

/**
 * The first step of a worker, with its effects: the saved state advanced to the present, or a new one.
 *
 * @param lastChunk the last chunk on the air; null without any, or when this worker makes no sound.
 * @param atMs the moment from which it plans.
 * @param logbook null = none is kept.
 */
export async function firstStep(
  lease: AirLease,
  saved: Saved | null,
  lastChunk: FrameChunk | null,
  fact: StationFact,
  atMs: number,
  logbook: Pick<Logbook, 'note'> | null,
): Promise<{ before: PlayoutState; step: Step; told: Told[] }> {
  // In stream mode a live worker may still be without sound.
  const isHeard = saved?.state.pace === 'sound' && lastChunk !== null
  const inputs: Input[] = [{ type: 'fact', fact }]
  if (saved)
    inputs.unshift({
      type: 'takeover',
      silentFromMs: isHeard ? chunkEndMs(lastChunk) : saved.aliveAtMs,
    })
  let state = saved?.state ?? (await newState(lease, fact, atMs))
  const effects: Effect[] = []
  const told: Told[] = []
  for (const input of inputs) {
    const taken = step(state, input, atMs)
    if (logbook) told.push(logbook.note(state, input, atMs, taken.state))
    state = taken.state
    effects.push(...taken.effects)
  }
  return { before: saved?.state ?? state, step: { state, effects }, told }
}

/** A new state skips the commands that were sent to the one before. */
async function newState(
  lease: AirLease,
  { pace, schedule }: StationFact,
  atMs: number,
): Promise<PlayoutState> {
  const appliedThrough = await lease.lastCommand()
  return { ...initialState(randomInt(2 ** 31), pace, schedule, atMs), appliedThrough }
}
