import type { Mode } from '@solstice/contracts'
import {
  advance,
  type Command,
  initialState,
  type Limits,
  learn,
  type Outcome,
  type Pace,
  type PlayoutState,
  type Schedule,
} from '@solstice/playout'
import { alwaysDay, HOUR, NOON, stationFact, tracks, withLists } from './programme.ts'

export const MINUTE = 60_000

/** Day, with a night from ten hours after noon to sixteen hours after it. */
export const dayThenNight: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NOON + 10 * HOUR, mode: 'night' },
    { atMs: NOON + 16 * HOUR, mode: 'day' },
    { atMs: NOON + 34 * HOUR, mode: 'night' },
  ],
}

export const switchLimits: Partial<Limits> = {
  modeSwitchCooldownMs: 30 * MINUTE,
  preparingMinMs: 3_000,
  groupInsertCooldownMs: 10 * MINUTE,
}

export const withoutNight = stationFact(alwaysDay, {}, 'clock', false)

export const songs = (mode: Mode) => tracks(20, 20, mode)

/** A station with a night, by day, all lists made. */
export function nightStation(
  schedule = dayThenNight,
  limited: Partial<Limits> = switchLimits,
  pace: Pace = 'clock',
): PlayoutState {
  const { state } = learn(initialState(7, pace, schedule, NOON), stationFact(schedule, limited, pace), NOON)
  return withLists(state, songs, NOON)
}

/** Time passes, and whatever list is wanted then is made. */
export function pass(state: PlayoutState, nowMs: number): PlayoutState {
  return withLists(advance(state, nowMs).state, songs, nowMs)
}

export const switchTo = (target: Mode, atMs: number | null = null): Command => ({
  type: 'switch-mode',
  target,
  atMs,
})

export const release = (trackId: string, purpose: 'edit' | 'remove' = 'remove'): Command => ({
  type: 'release-track',
  trackId,
  purpose,
})

export const refusal = (outcome: Outcome) => (outcome.ok ? null : outcome.details)
