import type { FailureCode, FailureDetails, Mode } from '@solstice/contracts'
import type { Limits, Pace, PlayoutState, Schedule, TrackRef } from './state.ts'

/** What anyone may ask of the air, over the bus. */
export type Command =
  /**
   * Tracks were added, changed or removed: lists are made anew from the library. `settled` ends what `release-track`
   * began: a track that is still there is shown as it is now, one that is gone (null) is not withheld any longer.
   */
  | { type: 'library-changed'; settled?: { trackId: string; track: TrackRef | null }[] }
  /**
   * Somebody is about to change a track. Refused while it is playing or next. To remove it, its entries leave the queue and
   * no list takes it up for a minute; to edit it, they stay.
   */
  | { type: 'release-track'; trackId: string; purpose: 'edit' | 'remove' }
  /** The programme shall change, at once (`atMs` null) or at a moment. */
  | { type: 'switch-mode'; target: Mode; atMs: number | null }
  /** A song group shall be queued as a block. */
  | { type: 'insert-group'; mode: Mode; tracks: TrackRef[] }

/** What the answer to an accepted command says. */
export interface Accepted {
  'library-changed': object
  'release-track': { removed: number }
  'switch-mode': object
  /** Track ids in the order of the queue. */
  'insert-group': { inserted: string[] }
}

/** What only the worker that is on air says: facts of its surroundings. */
export type Fact =
  /** How this station is set up; said when a worker takes the desk and when the schedule grows. */
  | { type: 'station'; pace: Pace; schedule: Schedule; nightMode: boolean; limits: Limits }
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
export type Outcome<T extends Command['type'] = Command['type']> =
  | ({ ok: true } & Accepted[T])
  | { ok: false; code: FailureCode; details?: FailureDetails }

/** What the shell has to do after the new state is saved. Doing it twice does no harm. */
export type Effect = { type: 'played'; track: TrackRef; mode: Mode; startedAtMs: number }

/** A new state, and what follows from it outside the engine. */
export interface Step {
  state: PlayoutState
  effects: Effect[]
}
