import type { FailureCode, FailureDetails, Mode } from '@solstice/contracts'
import type { MadePlaylist } from '../playlists.ts'
import type { CuePoints, Limits, Pace, Schedule, TrackRef, TrackRequest, UsableClips } from '../state.ts'
import type { HostingFact, LiveAccepted, LiveCommand, LiveEffect } from './live-commands.ts'

/** A command to the air, sent over the bus. */
export type Command =
  /**
   * Tracks were added, changed or removed: playlists are made again from the library. `settled` ends what `release-track`
   * began: a track that still exists is shown as it is now, a deleted one (null) is no longer withheld.
   */
  | { type: 'library-changed'; settled?: { trackId: string; track: TrackRef | null }[] }
  /**
   * Asks for a track before it is changed. Refused while it is playing or next. To remove it, its entries leave the queue
   * and no playlist takes it up for a minute; to edit it, they stay.
   */
  | { type: 'release-track'; trackId: string; purpose: 'edit' | 'remove' }
  /** The rotation settings changed: prepared playlists are made again. */
  | { type: 'settings-changed' }
  /** Clips or their settings changed: the worker reads them again. */
  | { type: 'clips-changed' }
  /** Tracks were measured: the worker reads the cue points again. */
  | { type: 'cue-points-changed' }
  /** Changes the mode, at once (`atMs` null) or at a moment. */
  | { type: 'switch-mode'; target: Mode; atMs: number | null }
  /** Takes back the change that is pending. */
  | { type: 'cancel-switch' }
  /** Queues a song group as a block. */
  | { type: 'insert-group'; mode: Mode; tracks: TrackRef[] }
  /** Queues a single track. */
  | ({ type: 'add-song' } & SongOrder)
  /**
   * Removes an upcoming entry; positions as in `searchQueue`, 1 = next. `entryId`: the entry that the sender saw there,
   * since the queue may have moved meanwhile.
   */
  | { type: 'remove-entry'; position: number; entryId?: string }
  /** Puts back an entry that `remove-entry` took (rule A13). */
  | { type: 'restore-entry'; entryId: string }
  /** Moves the upcoming entry that the sender saw at position `from` to position `to`; positions as for `remove-entry`. */
  | { type: 'move-entry'; entryId: string; from: number; to: number }
  /** Puts a jingle after the track on air (rule J7). */
  | { type: 'insert-jingle'; clipId: string }
  /** Takes back the jingle that was put next (rule J8). */
  | { type: 'cancel-jingle'; clipId: string }
  /** Ends the track on air now. */
  | { type: 'skip' }
  /** A listener asks for a track. */
  | { type: 'request-track'; uid: string; socketId: string; track: TrackRef; mode: Mode }
  /** An admin decides on a track request. */
  | { type: 'answer-track-request'; uid: string; action: 'add' | 'reject' }
  | LiveCommand

/** The command of a type. */
export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

/**
 * An order for a track in the queue. `orderId`: makes it idempotent, however often it is sent. `resumesQueue`: ends a pause
 * of the queue once it is queued. `at`: the position that a requested track should take, 1 = next (rule A12). `restores`: it had its place in a queue that was lost. `notAfterMs`: its deadline, after
 * which it is refused.
 */
export interface SongOrder {
  track: TrackRef
  mode: Mode
  orderType: 'requested' | 'donated'
  tier: number | null
  at?: number
  orderId?: string
  resumesQueue?: boolean
  restores?: boolean
  notAfterMs?: number
}

/** The content of the answer to an accepted command. */
export interface Accepted extends LiveAccepted {
  'library-changed': object
  'release-track': { removed: number }
  'settings-changed': object
  'clips-changed': object
  'cue-points-changed': object
  'switch-mode': object
  'cancel-switch': object
  /** Track ids in the order of the queue. */
  'insert-group': { inserted: string[] }
  'add-song': object
  'remove-entry': { track: TrackRef }
  /** Its position, 1 = next; null for a paid order, which its sender queues again: `orderId` names it. */
  'restore-entry': { track: TrackRef; position: number | null; orderId?: string }
  'move-entry': { track: TrackRef }
  'insert-jingle': object
  'cancel-jingle': object
  /** The skipped track. */
  skip: { track: TrackRef }
  /** Seconds until the listener may ask again. */
  'request-track': { secsLeft: number }
  'answer-track-request': { track: TrackRef }
}

/** A fact that only the worker on air reports, about its surroundings. */
export type Fact =
  /** The setup of the station; reported when a worker acquires the lease and when the schedule grows. */
  | { type: 'station'; pace: Pace; schedule: Schedule; nightMode: boolean; limits: Limits }
  /**
   * The tracks of a mode, read because the engine needs a playlist (`wantedPlaylists`). `made`: the playlist as `makePlaylist`
   * gives it, so that a large one need not be made at once; it is made again where it is not current any more.
   */
  | { type: 'library'; mode: Mode; tracks: TrackRef[]; settings: RotationSettings; made?: MadePlaylist }
  /** The usable clips; reported when a worker acquires the lease and when they or their settings change. */
  | { type: 'clips'; clips: UsableClips }
  /** Cue points by track id; reported when a worker acquires the lease and when they change. */
  | { type: 'cue-points'; cuePoints: Record<string, CuePoints> }
  /** The last sample of an entry, a jingle or background music went to the encoder; the next sound begins at that moment. */
  | { type: 'sound-ended'; entryId: string }
  /** An entry cannot be decoded. On air it gives way at once, further back it leaves the queue. */
  | { type: 'unplayable'; entryId: string }
  /** A track or a jingle on air gave no sound for 8 s. `wasHeard`: it gave some before. It gives way at once. */
  | { type: 'blank'; entryId: string; wasHeard: boolean }
  /** A jingle, a phrase or background music cannot be decoded. On air it gives way at once. */
  | { type: 'clip-unplayable'; clipId: string }
  | HostingFact

/** The fact of a type. */
export type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

/** Artists by group, in order. The last group takes all artists that no group names. */
export type GroupDefs = Readonly<Record<string, readonly string[]>>

/** Settings for generating a playlist. */
export interface RotationSettings {
  useAll: boolean
  /** Longest playlist, in ms, unless `useAll`. */
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

/** A task for the shell once the new state is saved. Doing it twice is harmless. */
export type Effect =
  | { type: 'played'; track: TrackRef; mode: Mode; startedAtMs: number; orderId?: string }
  /** The answer for the listener who asked; `auto`: nobody decided. */
  | { type: 'track-request-answered'; trackRequest: TrackRequest; accepted: boolean; auto: boolean }
  /** The open requests, for the admins who may decide. */
  | { type: 'track-requests-changed'; trackRequests: TrackRequest[] }
  /** It was left out: its file is missing, cannot be decoded, or is blank (rule T4). */
  | { type: 'track-unplayable'; track: TrackRef }
  | OrderEffect
  | LiveEffect

/** The fate of an order in the queue (rule A9). */
export type OrderEffect =
  /** Its first sound is due at `atMs`. Not repeated when it continues after an interruption. */
  | { type: 'order-aired'; orderId: string; atMs: number }
  /** It was played to its end, or skipped. */
  | { type: 'order-ended'; orderId: string; atMs: number }
  /** It was removed from the queue, or its track was deleted, cannot be decoded or is blank. */
  | { type: 'order-dropped'; orderId: string; why: 'removed' | 'unplayable' }
