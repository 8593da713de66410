import type { Mode, OrderType } from '@solstice/contracts'

/** What the engine knows of a track. */
export interface TrackRef {
  id: string
  title: string
  artist: string
  album: string
  year: number | null
  /** null when unknown. */
  durationMs: number | null
}

/** A place in the queue. */
export interface QueueEntry {
  /** Unique within the life of the state. */
  entryId: string
  track: TrackRef
  orderType: OrderType
  tier: number | null
}

/** When day and night begin by themselves: which mode is natural now and at which moments that changes. */
export interface Schedule {
  natural: Mode
  /** In order of time. */
  changes: { atMs: number; mode: Mode }[]
}

/**
 * What ends a track. In sync mode the clock, by the track's duration. In stream mode the sound, by its last sample; the
 * clock then only watches that the sound ends at all.
 */
export type Pace = 'clock' | 'sound'

export type OnAir =
  | { phase: 'preparing'; target: Mode; sinceMs: number }
  | { phase: 'track'; entry: QueueEntry; startedAtMs: number }

/** `repeats`: the library was so small that it was taken several times. */
export interface PreparedList {
  entries: QueueEntry[]
  repeats: boolean
}

export interface List extends PreparedList {
  index: number
}

/** Everything that the air depends on. Plain JSON, so that it can be saved, sent and replayed. */
export interface PlayoutState {
  version: 1
  /** Id of the last command that this state has taken in. */
  appliedThrough: string
  /** State of the random generator. */
  seed: number
  /** How many entries were ever made; gives them their ids. */
  serial: number
  pace: Pace
  schedule: Schedule
  mode: Mode
  onAir: OnAir
  /** The list of this cycle: entries before `index` were played, the one at `index` is on air. */
  list: List
  /** The list that comes after this one, per mode; absent = has to be made, empty = there is nothing to play. */
  prepared: Partial<Record<Mode, PreparedList>>
  /** Tracks that could not be decoded; left out until the library changes. */
  unplayable: string[]
}

/** A moment's first state: nothing on air yet. */
export function initialState(seed: number, pace: Pace, schedule: Schedule, nowMs: number): PlayoutState {
  const mode = naturalMode(schedule, nowMs)
  return {
    version: 1,
    appliedThrough: '0-0',
    seed,
    serial: 0,
    pace,
    schedule,
    mode,
    onAir: { phase: 'preparing', target: mode, sinceMs: nowMs },
    list: { entries: [], index: 0, repeats: false },
    prepared: {},
    unplayable: [],
  }
}

/** The mode that the schedule wants at a moment. */
export function naturalMode(schedule: Schedule, atMs: number): Mode {
  return schedule.changes.findLast((change) => change.atMs <= atMs)?.mode ?? schedule.natural
}

/** The modes for which a list has to be made: the shell answers with a `library` fact for each. */
export function wantedLists(state: PlayoutState): Mode[] {
  const modes = new Set([
    state.mode,
    state.schedule.natural,
    ...state.schedule.changes.map((change) => change.mode),
  ])
  return [...modes].filter((mode) => state.prepared[mode] === undefined)
}

/** What comes next, in order: the rest of this list, then the one prepared to follow it. */
export function upcoming(state: PlayoutState): QueueEntry[] {
  const { entries, index } = state.list
  return [...entries.slice(index + 1), ...(state.prepared[state.mode]?.entries ?? [])]
}
