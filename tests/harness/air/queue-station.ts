import type { Mode } from '@solstice/contracts'
import {
  apply,
  type Command,
  initialState,
  type Limits,
  learn,
  type Pace,
  type PlayoutState,
  type SongOrder,
  type TrackRef,
  upcoming,
} from '@solstice/playout'
import { dayThenNight, MINUTE, songs } from './night-station.ts'
import { HOUR, NOON, stationFact, withLists } from './programme.ts'

export const SECOND = 1_000

export const NIGHT = NOON + 10 * HOUR

export const queueLimits: Partial<Limits> = {
  queueAddCooldownMs: 30 * SECOND,
  queueRemoveCooldownMs: 30 * SECOND,
  queueSkipCooldownMs: 30 * SECOND,
  trackRequestCooldownMs: 5 * MINUTE,
  trackRequestExpiryMs: 5 * MINUTE,
}

/** A station with a night, by day, all lists made. */
export function queueStation(limited: Partial<Limits> = queueLimits, pace: Pace = 'clock'): PlayoutState {
  const fact = stationFact(dayThenNight, limited, pace)
  return withLists(learn(initialState(7, pace, dayThenNight, NOON), fact, NOON).state, songs, NOON)
}

/** An hour of music on air since a moment. */
export function withLongTrack(state: PlayoutState, startedAtMs: number): PlayoutState {
  const { playlist } = state
  const current = playlist.entries[playlist.index]!
  const entry = { ...current, track: { ...current.track, durationMs: HOUR } }
  return {
    ...state,
    playlist: { ...playlist, entries: playlist.entries.with(playlist.index, entry) },
    onAir: { phase: 'track', entry, startedAtMs },
  }
}

export function add(
  song: TrackRef,
  orderType: SongOrder['orderType'] = 'requested',
  order: { tier?: number; orderId?: string; mode?: Mode; at?: number } = {},
): Command {
  return { type: 'add-song', track: song, mode: 'day', orderType, tier: null, ...order }
}

export const ask = (uid: string, song: TrackRef, mode: Mode = 'day'): Command => ({
  type: 'request-track',
  uid,
  socketId: `socket of ${uid}`,
  track: song,
  mode,
})

export const decide = (uid: string, action: 'add' | 'reject'): Command => ({
  type: 'answer-track-request',
  uid,
  action,
})

export const remove = (position: number): Command => ({ type: 'remove-entry', position })

export const skip: Command = { type: 'skip' }

export const free = () => queueStation({})

export function accepted(state: PlayoutState, command: Command, nowMs = NOON): PlayoutState {
  const step = apply(state, command, nowMs)
  if (!step.outcome.ok) throw new Error(`refused: ${JSON.stringify(step.outcome)}`)
  return step.state
}

export const titles = (state: PlayoutState, count: number) =>
  upcoming(state)
    .slice(0, count)
    .map((entry) => entry.track.title)
