import { randomInt } from 'node:crypto'
import { initialState, learn, type PlayoutState, resume, type Step } from '@solstice/playout'
import { type AirLease, chunkEndMs, type FrameChunk, type Saved } from '@solstice/station'
import type { StationFact } from './station-fact.ts'

/**
 * The first step of a worker, with its effects: the saved state advanced to the present, or a new one.
 *
 * @param lastChunk the last chunk on the air; null without any, or when this worker makes no sound.
 * @param atMs the moment from which it plans.
 */
export async function firstStep(
  lease: AirLease,
  saved: Saved | null,
  lastChunk: FrameChunk | null,
  fact: StationFact,
  atMs: number,
): Promise<{ before: PlayoutState; step: Step }> {
  // In stream mode a live worker may still be without sound.
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
