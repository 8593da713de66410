import type { FailureCode, FailureDetails, Mode } from '@solstice/contracts'
import type { HostingFact, LiveAccepted, LiveCommand, LiveEffect } from './live-commands.ts'
import type {
  CuePoints,
  Limits,
  Pace,
  PlayoutState,
  Schedule,
  TrackRef,
  TrackRequest,
  UsableClips,
} from './state.ts'

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
  /** How lists are made was changed: those that are prepared are made anew. */
  | { type: 'settings-changed' }
  /** Clips were added, changed or removed, or how they are used: the worker reads them anew. */
  | { type: 'clips-changed' }
  /** Tracks were measured: the worker reads anew how they are played. */
  | { type: 'cue-points-changed' }
  /** The programme shall change, at once (`atMs` null) or at a moment. */
  | { type: 'switch-mode'; target: Mode; atMs: number | null }
  /** A song group shall be queued as a block. */
  | { type: 'insert-group'; mode: Mode; tracks: TrackRef[] }
  /** A single song shall be queued. */
  | ({ type: 'add-song' } & SongOrder)
  /**
   * An upcoming entry shall leave the queue; positions as in `searchQueue`, 1 = next. `entryId`: the one that stood there
   * when that was asked; the queue may have moved on since.
   */
  | { type: 'remove-entry'; position: number; entryId?: string }
  /** The track on air shall end now. */
  | { type: 'skip' }
  /** A listener asks for a song. */
  | { type: 'request-track'; uid: string; socketId: string; track: TrackRef; mode: Mode }
  /** An admin decides on what a listener asked for. */
  | { type: 'answer-track-request'; uid: string; action: 'add' | 'reject' }
  | LiveCommand

/**
 * A song that somebody wants in the queue. `orderId`: however often it comes, it is queued once. `resumesQueue`: once it is
 * queued, a pause of the queue ends. `restores`: it had its place, and the queue was lost with it. `notAfterMs`: it is not
 * queued any more after that.
 */
export interface SongOrder {
  track: TrackRef
  mode: Mode
  orderType: 'requested' | 'donated'
  tier: number | null
  orderId?: string
  resumesQueue?: boolean
  restores?: boolean
  notAfterMs?: number
}

/** What the answer to an accepted command says. */
export interface Accepted extends LiveAccepted {
  'library-changed': object
  'release-track': { removed: number }
  'settings-changed': object
  'clips-changed': object
  'cue-points-changed': object
  'switch-mode': object
  /** Track ids in the order of the queue. */
  'insert-group': { inserted: string[] }
  'add-song': object
  'remove-entry': { track: TrackRef }
  /** What was skipped. */
  skip: { track: TrackRef }
  /** Until the listener may ask again. */
  'request-track': { secsLeft: number }
  'answer-track-request': { track: TrackRef }
}

/** What only the worker that is on air says: facts of its surroundings. */
export type Fact =
  /** How this station is set up; said when a worker acquires the lease and when the schedule grows. */
  | { type: 'station'; pace: Pace; schedule: Schedule; nightMode: boolean; limits: Limits }
  /** The tracks of a mode, read because the engine wanted a list (`wantedPlaylists`). */
  | { type: 'library'; mode: Mode; tracks: TrackRef[]; settings: RotationSettings }
  /** The clips that may go on air; said when a worker acquires the lease and when they or their settings change. */
  | { type: 'clips'; clips: UsableClips }
  /** How tracks are played, by id; said when a worker acquires the lease and when that changes. */
  | { type: 'cue-points'; cuePoints: Record<string, CuePoints> }
  /** The last sample of an entry, a jingle or background music was handed to the encoder; what follows begins at that moment. */
  | { type: 'sound-ended'; entryId: string }
  /** An entry cannot be decoded. On air it gives way at once, further back it leaves the queue. */
  | { type: 'unplayable'; entryId: string }
  /** A song or a jingle on air gave no sound for 8 s. `wasHeard`: it did before. It gives way at once. */
  | { type: 'blank'; entryId: string; wasHeard: boolean }
  /** A jingle, a phrase or background music cannot be decoded. On air it gives way at once. */
  | { type: 'clip-unplayable'; clipId: string }
  | HostingFact

/** Artists by group, in order. The last group takes everybody whom no group names. */
export type GroupDefs = Readonly<Record<string, readonly string[]>>

/** How a list is generated. */
export interface RotationSettings {
  useAll: boolean
  /** Longest list, in ms, unless `useAll`. */
  maxDurationMs: number
  algorithm: 'simple' | 'sections' | 'group-sections'
  groups: GroupDefs
  /** For `sections`. */
  songsPerSection: number
}

/** The answer to a command. */
export type Outcome<T extends Command['type'] = Command['type']> =
  | ({ ok: true } & Accepted[T])
  | { ok: false; code: FailureCode; details?: FailureDetails }

/** What the shell has to do after the new state is saved. Doing it twice does no harm. */
export type Effect =
  | { type: 'played'; track: TrackRef; mode: Mode; startedAtMs: number; orderId?: string }
  /** Whoever asked is told; `auto`: nobody decided. */
  | { type: 'track-request-answered'; trackRequest: TrackRequest; accepted: boolean; auto: boolean }
  /** Those who may decide are told what there is now. */
  | { type: 'track-requests-changed'; trackRequests: TrackRequest[] }
  | OrderEffect
  | LiveEffect

/** What became of a song that was queued for an order (rule A9). */
export type OrderEffect =
  /** Its first sound is due at `atMs`. A song that goes on after an interruption is not said again. */
  | { type: 'order-aired'; orderId: string; atMs: number }
  /** It is over: it was played, or skipped. */
  | { type: 'order-ended'; orderId: string; atMs: number }
  /** It will not be heard: it was taken out of the queue, its track is gone, or cannot be decoded. */
  | { type: 'order-dropped'; orderId: string; why: 'removed' | 'unplayable' }

/** A new state, and what follows from it outside the engine. */
export interface Step {
  state: PlayoutState
  effects: Effect[]
}
