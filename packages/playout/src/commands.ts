import type { Mode } from '@solstice/contracts'
import type { Pace, PlayoutState, Schedule, TrackRef } from './state.ts'

/** What anyone may ask of the air, over the bus. */
export type Command =
  /** Tracks were added, changed or removed: lists are made anew from the library. */
  { type: 'library-changed' }

/** What only the worker that is on air says: facts of its surroundings. */
export type Fact =
  /** How this station is set up; said when a worker takes the desk and when the schedule grows. */
  | { type: 'station'; pace: Pace; schedule: Schedule }
  /** The tracks of a mode, read because the engine wanted a list (`wantedLists`). */
  | { type: 'library'; mode: Mode; tracks: TrackRef[]; settings: ProgrammeSettings }
  /** The last sample of an entry was handed to the encoder; the next track begins at that moment. */
  | { type: 'sound-ended'; entryId: string }
  /** An entry cannot be decoded. On air it gives way at once, further back it leaves the queue. */
  | { type: 'unplayable'; entryId: string }

/** How a list is generated. */
export interface ProgrammeSettings {
  useAll: boolean
  /** Longest list, in ms, unless `useAll`. */
  maxDurationMs: number
}

/** The answer to a command. */
export type Outcome = { ok: true } | { ok: false; code: string }

/** What the shell has to do after the new state is saved. Doing it twice does no harm. */
export type Effect = { type: 'played'; track: TrackRef; mode: Mode; startedAtMs: number }

/** A new state, and what follows from it outside the engine. */
export interface Step {
  state: PlayoutState
  effects: Effect[]
}
