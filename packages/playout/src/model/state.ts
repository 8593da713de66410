import type { Mode } from '@solstice/contracts'
import type { Hosting, Live } from './live-state.ts'

/** A track, as far as the engine knows it. */
export interface TrackRef {
  id: string
  title: string
  artist: string
  album: string
  year: number | null
  /** null when unknown. */
  durationMs: number | null
  /** Absent = the track is played as it is. */
  cuePoints?: CuePoints
}

/** Gain and range with which a track is played (rules V1–V3). */
export interface CuePoints {
  /** null = no change. */
  gainDb: number | null
  /** First and last position heard in the stream; `endMs` null = the end of the track. */
  startMs: number
  endMs: number | null
}

/** Duration of a track of unknown duration in sums (rule T3). */
export const ASSUMED_DURATION_MS = 180_000

/** Duration of a track in sums, ms. */
export const durationOf = (track: TrackRef) => track.durationMs ?? ASSUMED_DURATION_MS

export const sameArtist = (a: TrackRef, b: TrackRef) => a.artist.toLowerCase() === b.artist.toLowerCase()

/** Origin of an entry: paid for, requested by a listener or an admin, or (null) generated. */
export type OrderType = 'donated' | 'requested' | null

/** A place in the queue. */
export interface QueueEntry {
  /** Unique within the life of the state. */
  entryId: string
  track: TrackRef
  orderType: OrderType
  tier: number | null
  /** Id of the order that it fulfils, if that has one. */
  orderId?: string
}

/** An entry that an admin removed, with the ids of those it stood between; null = none. */
export interface RemovedEntry {
  entry: QueueEntry
  before: string | null
  after: string | null
}

/** A listener's request for a track; admins who manage the queue decide. */
export interface TrackRequest {
  uid: string
  /** The socket that gets the result. */
  socketId: string
  track: TrackRef
  mode: Mode
  addedAtMs: number
}

/** The hours of day and night: the natural mode now, and the moments at which it changes. */
export interface Schedule {
  natural: Mode
  /** In order of time. */
  changes: { atMs: number; mode: Mode }[]
  /** Lead of the clock of these moments over the wall clock, which sets day and night. */
  aheadMs?: number
}

/**
 * The signal that ends a track: in sync mode the clock, by the track's duration; in stream mode the sound, by its last
 * sample, while the clock only makes sure that the sound ends at all.
 */
export type Pace = 'clock' | 'sound'

/** Cooldowns and other times, in ms; 0 = no limit. */
export interface Limits {
  /** From an admin's mode switch, once it is carried out, to the next one. */
  modeSwitchCooldownMs: number
  /** Shortest preparing phase of such a switch. */
  preparingMinMs: number
  groupInsertCooldownMs: number
  /** Between two single tracks that are queued, removed or skipped. */
  queueAddCooldownMs: number
  queueRemoveCooldownMs: number
  queueSkipCooldownMs: number
  /** Between two track requests of a listener, and the life of an unanswered one. */
  trackRequestCooldownMs: number
  trackRequestExpiryMs: number
}

/** A jingle, a phrase or background music, as far as the engine knows it. */
export interface ClipRef {
  id: string
  /** Key of its file in the media storage. */
  media: string
  /** null when unknown. */
  durationMs: number | null
}

/** The clips that may go on air, and their settings. A family that is switched off has none. */
export interface UsableClips {
  /** `required`: fewer in a mode count as none. `frequency`: number of tracks between jingles. */
  jingles: { usable: Record<Mode, ClipRef[]>; required: number; frequency: number | 'random' }
  /** `offsetMs`: time from the beginning of a phrase to the end of its track. */
  phrases: { usable: Record<Mode, ClipRef[]>; offsetMs: number }
  /** Background music of a chat; `chosenBy` says how it is chosen. */
  background: { usable: Record<Mode, ClipRef[]>; chosenBy: 'random' | 'hosts' }
}

/** A clip that is mixed over the end of a track. */
export interface Phrase {
  clip: ClipRef
  /** Position in the track at which it begins. */
  fromMs: number
}

/** A clip between two tracks. */
export interface Jingle {
  /** Unique within the life of the state, also among the entries of the queue. */
  entryId: string
  clip: ClipRef
}

/** Title shown during a chat. */
export const CHAT_TITLE = 'Just chatting'

/** Background music of a chat, from its beginning. */
export interface BackgroundMusic {
  /** Unique within the life of the state, also among entries and jingles; new at each change and each repetition. */
  entryId: string
  /** null = silence. */
  clip: ClipRef | null
  startedAtMs: number
}

/** Hosts talk while the queue is paused (rules O). */
export interface Chat {
  phase: 'chat'
  sinceMs: number
  /** The interrupted track, or the one before: it stays locked. null = none. */
  entry: QueueEntry | null
  /** Position at which that track continues; null = it does not. */
  interrupted: { positionMs: number; phrase?: Phrase } | null
  background: BackgroundMusic
  /** Mode changes by the schedule are handled up to this moment. */
  modeAsOfMs: number
}

/**
 * `notBeforeMs`: earliest start of the first track, even when its playlist is there. During a jingle the track before it, at
 * the index of the playlist, is still shown, at the position where it ended (`shownMs`). `resumedAtMs`: the moment at which
 * an interrupted track continued; its position counts from `startedAtMs`.
 */
export type OnAir =
  | { phase: 'preparing'; target: Mode; sinceMs: number; notBeforeMs: number }
  | { phase: 'track'; entry: QueueEntry; startedAtMs: number; phrase?: Phrase; resumedAtMs?: number }
  | { phase: 'jingle'; jingle: Jingle; startedAtMs: number; entry: QueueEntry; shownMs: number }
  | Chat

/**
 * `repeats`: the library was so small that all of it was taken several times. `isStale`: library or settings have changed
 * since; it keeps its place until another one is made.
 */
export interface PreparedPlaylist {
  entries: QueueEntry[]
  repeats: boolean
  isStale?: boolean
}

/** `index` -1: no entry was on air yet. A stale one ends with the entry on air as soon as there is one to follow it. */
export interface Playlist extends PreparedPlaylist {
  index: number
}

/** The mode and the live show from a moment on; `liveSinceMs` null = nobody is on the air. */
export interface AirTurn {
  atMs: number
  mode: Mode
  liveSinceMs: number | null
}

/** A mode switch that an admin asked for; `waiting`: its moment came, but a donated track was on air or queued. */
export interface PendingSwitch {
  target: Mode
  atMs: number
  /** `untilMs`: the moment at which it lapses; null = never. */
  waiting: { untilMs: number | null } | null
}

/** Everything the air depends on. Plain JSON, so that it can be saved, sent and replayed. */
export interface PlayoutState {
  version: 5
  /** Id of the last command applied to this state. */
  appliedThrough: string
  /** State of the random generator. */
  seed: number
  /** Number of entries ever made; entry ids come from it. */
  serial: number
  pace: Pace
  schedule: Schedule
  /** True when the station has a night at all. */
  nightMode: boolean
  limits: Limits
  mode: Mode
  /** The mode that an admin chose against the schedule, and the moment at which it would begin by itself; null = never. */
  forced: { mode: Mode; untilMs: number | null } | null
  pendingSwitch: PendingSwitch | null
  /** Time of the last switch by an admin; null = never yet. */
  lastSwitchMs: number | null
  lastGroupInsertMs: number | null
  lastAddMs: number | null
  lastRemoveMs: number | null
  lastSkipMs: number | null
  /** In order of arrival, one per uid. */
  trackRequests: TrackRequest[]
  /** Listeners who must wait before the next request, and since when. */
  trackRequestCooldowns: { uid: string; sinceMs: number }[]
  /** Ids of the last orders queued, whatever became of them. */
  orders: string[]
  /** The last entries that admins removed, in order (rule A13); absent = none. */
  removed?: RemovedEntry[]
  /** The last turns of the air, in order (rule C3); absent = none. */
  turns?: AirTurn[]
  onAir: OnAir
  /** Time of the last effect `played`, which belongs to the track shown now; null = there was none. */
  lastPlayedMs: number | null
  /** The current playlist: entries before `index` were played, the one at `index` is on air. */
  playlist: Playlist
  /** The next playlist, per mode; absent or stale = has to be made, empty = there is nothing to play. */
  prepared: Partial<Record<Mode, PreparedPlaylist>>
  clips: UsableClips
  /** Tracks since the last jingle, and the number after which the next one comes; null = still to be drawn. */
  jingleCount: { songs: number; threshold: number | null }
  lastJingleId: string | null
  /** The jingle that an admin put next (rule J7); absent = none. */
  nextJingleId?: string
  lastPhraseId: string | null
  /** True from the pause of the queue until it resumes, also while a track plays to its end. */
  isPaused: boolean
  /** Id of the background music that the hosts chose; null = none. */
  backgroundChoice: string | null
  lastBackgroundId: string | null
  live: Live
  hosting: Hosting
  /** The modes whose last playlist came out empty (rule M3). */
  emptyModes: Mode[]
  /** The last undecodable tracks; left out until the library changes. */
  unplayable: string[]
  /** Tracks about to be removed; left out until that is settled, at the latest until `untilMs`. */
  withheld: { trackId: string; untilMs: number }[]
}
