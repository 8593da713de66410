import type { Mode } from '@solstice/contracts'
import type { Hosting, Live } from './live-state.ts'

/** What the engine knows of a track. */
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

/** How a track is played (rules V1–V3). */
export interface CuePoints {
  /** null = as loud as it is. */
  gainDb: number | null
  /** Positions between which it is heard in the stream; `endMs` null = to its end. */
  startMs: number
  endMs: number | null
}

/** Counted for a track of unknown length wherever lengths are summed up (rule T3). */
export const ASSUMED_DURATION_MS = 180_000

/** The length of a track where lengths are summed up, ms. */
export const durationOf = (track: TrackRef) => track.durationMs ?? ASSUMED_DURATION_MS

export const sameArtist = (a: TrackRef, b: TrackRef) => a.artist.toLowerCase() === b.artist.toLowerCase()

/** Why an entry is in the queue: it was paid for, a listener or an admin asked for it, or (null) it was generated. */
export type OrderType = 'donated' | 'requested' | null

/** A place in the queue. */
export interface QueueEntry {
  /** Unique within the life of the state. */
  entryId: string
  track: TrackRef
  orderType: OrderType
  tier: number | null
  /** Of the order that it fulfils, when it has an id. */
  orderId?: string
}

/** A song that a listener asks for; whoever may manage the queue decides. */
export interface TrackRequest {
  uid: string
  /** The socket that asked, and gets the result. */
  socketId: string
  track: TrackRef
  mode: Mode
  addedAtMs: number
}

/** When day and night begin by themselves: which mode is natural now and at which moments that changes. */
export interface Schedule {
  natural: Mode
  /** In order of time. */
  changes: { atMs: number; mode: Mode }[]
  /** By how much the clock of these moments is ahead of the wall clock, which day and night go by. */
  aheadMs?: number
}

/**
 * What ends a track. In sync mode the clock, by the track's duration. In stream mode the sound, by its last sample; the
 * clock then only watches that the sound ends at all.
 */
export type Pace = 'clock' | 'sound'

/** How long things have to wait, in ms; 0 = no limit. */
export interface Limits {
  /** Between a mode switch that an admin asked for, once it is done, and the next request. */
  modeSwitchCooldownMs: number
  /** How long such a switch prepares at least. */
  preparingMinMs: number
  groupInsertCooldownMs: number
  /** Between two single songs that are put into the queue, are removed from it, or are skipped. */
  queueAddCooldownMs: number
  queueRemoveCooldownMs: number
  queueSkipCooldownMs: number
  /** Between two song requests of a listener, and until one that nobody answers is given up. */
  trackRequestCooldownMs: number
  trackRequestExpiryMs: number
}

/** What the engine knows of a jingle, a phrase or background music. */
export interface ClipRef {
  id: string
  /** Key of its file in the media storage. */
  media: string
  /** null when unknown. */
  durationMs: number | null
}

/** The clips that may go on air, and how. What is switched off has none. */
export interface UsableClips {
  /** `required`: fewer in a mode are as good as none. `frequency`: a jingle after so many songs. */
  jingles: { usable: Record<Mode, ClipRef[]>; required: number; frequency: number | 'random' }
  /** `offsetMs`: so long before the end of a song its phrase begins. */
  phrases: { usable: Record<Mode, ClipRef[]>; offsetMs: number }
  /** What is heard under the talk of hosts, and who says which. */
  background: { usable: Record<Mode, ClipRef[]>; chosenBy: 'random' | 'hosts' }
}

/** A clip that is mixed over the end of a song. */
export interface Phrase {
  clip: ClipRef
  /** Position in the song at which it begins. */
  fromMs: number
}

/** A clip between two songs. */
export interface Jingle {
  /** Unique within the life of the state, also among the entries of the queue. */
  entryId: string
  clip: ClipRef
}

/** What is shown instead of a song while hosts talk. */
export const CHAT_TITLE = 'Just chatting'

/** What is heard under a talk, from its beginning. */
export interface BackgroundMusic {
  /** Unique within the life of the state, also among entries and jingles; a new one at each change and each repetition. */
  entryId: string
  /** null = silence. */
  clip: ClipRef | null
  startedAtMs: number
}

/** Hosts talk while the queue is paused (rules O). */
export interface Chat {
  phase: 'chat'
  sinceMs: number
  /** The song that was interrupted, or the one before: it stays locked. null = there was none. */
  entry: QueueEntry | null
  /** Where that song goes on; null = it does not. */
  interrupted: { positionMs: number; phrase?: Phrase } | null
  background: BackgroundMusic
  /** Changes of the mode by the schedule are dealt with up to here. */
  modeAsOfMs: number
}

/**
 * `notBeforeMs`: the first track does not start before, even when its list is there. During a jingle the song before it, the
 * one at the list's index, is still shown, at the position where it ended (`shownMs`). `resumedAtMs`: when a song that was
 * interrupted went on; its `startedAtMs` is where its position counts from.
 */
export type OnAir =
  | { phase: 'preparing'; target: Mode; sinceMs: number; notBeforeMs: number }
  | { phase: 'track'; entry: QueueEntry; startedAtMs: number; phrase?: Phrase; resumedAtMs?: number }
  | { phase: 'jingle'; jingle: Jingle; startedAtMs: number; entry: QueueEntry; shownMs: number }
  | Chat

/**
 * `repeats`: the library was so small that all of it was taken several times. `isStale`: library or settings are not what it was
 * made of any more; it holds its place until another one is made.
 */
export interface PreparedPlaylist {
  entries: QueueEntry[]
  repeats: boolean
  isStale?: boolean
}

/** `index` -1: nothing of it was on air yet. A stale one ends with the entry on air as soon as there is one to follow it. */
export interface Playlist extends PreparedPlaylist {
  index: number
}

/** A mode switch that an admin asked for; `waiting`: its moment came, but a donated song was on air or queued. */
export interface PendingSwitch {
  target: Mode
  atMs: number
  /** `untilMs`: when it lapses; null = it waits for as long as it takes. */
  waiting: { untilMs: number | null } | null
}

/** Everything that the air depends on. Plain JSON, so that it can be saved, sent and replayed. */
export interface PlayoutState {
  version: 5
  /** Id of the last command that this state has taken in. */
  appliedThrough: string
  /** State of the random generator. */
  seed: number
  /** How many entries were ever made; gives them their ids. */
  serial: number
  pace: Pace
  schedule: Schedule
  /** Whether the station has a night at all. */
  nightMode: boolean
  limits: Limits
  mode: Mode
  /** The mode that an admin chose against the schedule, and when it would begin by itself; null = never. */
  forced: { mode: Mode; untilMs: number | null } | null
  pendingSwitch: PendingSwitch | null
  /** When an admin's switch was carried out last; null = never yet. */
  lastSwitchMs: number | null
  lastGroupInsertMs: number | null
  lastAddMs: number | null
  lastRemoveMs: number | null
  lastSkipMs: number | null
  /** In the order in which they came, one per uid. */
  trackRequests: TrackRequest[]
  /** Who has to wait before the next request, and since when. */
  trackRequestCooldowns: { uid: string; sinceMs: number }[]
  /** Ids of the orders that were queued last, whatever became of them. */
  orders: string[]
  onAir: OnAir
  /** When the last effect `played` was, which is the one of the song that is shown now; null = there was none. */
  lastPlayedMs: number | null
  /** The list of this cycle: entries before `index` were played, the one at `index` is on air. */
  playlist: Playlist
  /** The list that comes after this one, per mode; absent or stale = has to be made, empty = there is nothing to play. */
  prepared: Partial<Record<Mode, PreparedPlaylist>>
  clips: UsableClips
  /** Songs since the last jingle, and after how many the next one comes; null = still to be drawn. */
  jingleCount: { songs: number; threshold: number | null }
  lastJingleId: string | null
  lastPhraseId: string | null
  /** From the pause of the queue until it goes on, be there a song to wait for or not. */
  isPaused: boolean
  /** Which background music the hosts want; null = none. */
  backgroundChoice: string | null
  lastBackgroundId: string | null
  live: Live
  hosting: Hosting
  /** The modes for which there was nothing to play when a list was made last (rule M3). */
  emptyModes: Mode[]
  /** Tracks that could not be decoded, the last of them; left out until the library changes. */
  unplayable: string[]
  /** Tracks that somebody is about to remove; left out until that is settled, at most until a moment. */
  withheld: { trackId: string; untilMs: number }[]
}
