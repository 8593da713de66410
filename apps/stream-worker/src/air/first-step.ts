import { randomInt } from 'node:crypto'
import { initialState, learn, type PlayoutState, resume, type Step } from '@solstice/playout'
import { type AirLease, chunkEndMs, type FrameChunk, type Saved } from '@solstice/station'
import type { StationFact } from './station-fact.ts'

/**
 * The state with which a worker begins, and what follows from it: the saved one gone on until now, or a new one.
 *
 * @param lastChunk the last of the sound; null when this worker is not heard, or nothing was.
 * @param atMs the moment from which it plans.
 */
export async function firstStep(
  lease: AirLease,
  saved: Saved | null,
  lastChunk: FrameChunk | null,
  fact: StationFact,
  atMs: number,
): Promise<{ before: PlayoutState; step: Step }> {
  // In stream mode a worker may be alive and not be heard.
  const isHeard = saved?.state.pace === 'sound' && lastChunk !== null
  const start = saved
    ? resume(saved.state, isHeard ? chunkEndMs(lastChunk) : saved.aliveAtMs, atMs)
    : { state: await newState(lease, fact, atMs), effects: [] }
  const { state, effects } = learn(start.state, fact, atMs)
  return { before: saved?.state ?? state, step: { state, effects: [...start.effects, ...effects] } }
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
