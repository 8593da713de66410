import type {
  AuditEntry,
  BanEntry,
  Clip,
  ClipFamily,
  DonationSettings,
  DonationStatus,
  HelperAdmin,
  HistoryItem,
  LyricsEntry,
  Mode,
  Privilege,
  Settings,
  Track,
} from '@solstice/contracts'
import type { Money, Payment, PaymentProviderId } from './payments.ts'

/** A track as it is remembered: who added it is known for those that were uploaded. */
export type TrackRecord = Track & {
  /** epoch ms of the commit. */
  addedAt?: number
  /** `adminId` of who committed it. */
  addedBy?: string
}

/** Lyrics are keyed by artist and title, not by track: see `lyricsKey`. */
export type LyricsRecord = LyricsEntry & { key: string }
export interface OffsetRecord {
  key: string
  /** Seconds added to every line time. */
  offset: number
}
/** One per artist; `artist` is the normalised key (`artistKey`). */
export interface ArtistRecord {
  artist: string
  hasArt: boolean
  /** File name under `arts/`, '' without art. */
  artFileName: string
}
/** All settings by section; those of donations are read and saved apart from the others. */
export interface StoredSettings extends Settings {
  donations: DonationSettings
}
/** One record per section, so that sections are saved independently. */
export interface SettingsRecord<S extends keyof StoredSettings = keyof StoredSettings> {
  section: S
  value: StoredSettings[S]
  /** How often the record was saved, for compare-and-set. */
  revision: number
}
/** `nameKey` is the file name in lower case: a name is taken once per family, whatever its case and mode. */
export type ClipRecord = Clip & { family: ClipFamily; nameKey: string }
export interface GroupRecord {
  /** uuid */
  id: string
  name: string
  /** The name in lower case. */
  nameKey: string
  mode: Mode
  /** Track ids, in order. */
  songs: string[]
  createdAt: number
  /** How often the record was saved, for compare-and-set. */
  revision: number
}
export type AdminRecord = Omit<HelperAdmin, 'privileges'> & {
  privileges: Privilege[]
  /** The login in lower case: a login is taken once, whatever its case. */
  loginKey: string
  passwordHash: string
  /** epoch ms since which a temporary password waits to be replaced. */
  temporarySinceMs: number
}
/** A login of an admin. Kept until its token has expired, also when it was ended before. */
export interface SessionRecord {
  id: string
  adminId: string
  createdAt: number
  /** epoch ms of its last use, to a minute. */
  lastSeenAt: number
  /** epoch ms at which its token expires. */
  expiresAt: number
  /** epoch ms at which it was ended; null = it goes on. */
  endedAt: number | null
  /** Where it was last used from. */
  address: string
  userAgent: string
}
/** Sessions of an account that began up to a moment are over, whether or not they are remembered, but for one. */
export interface SessionCutRecord {
  adminId: string
  beforeMs: number
  sparedId: string | null
}
/** `startedAtMs`: the moment of `playedAt` by the station's clock; the version before had but that, and called it the date. */
export type HistoryRecord = HistoryItem & { startedAtMs?: number }
/** What was measured in the file of a track. */
export interface MeasurementRecord {
  trackId: string
  /** The file that was measured, as `MediaStat`. */
  size: number
  modifiedMs: number
  /** Integrated loudness (EBU R128), LUFS; null = silent, too short, or not to be measured. */
  lufs: number | null
  /** True peak, dBTP. */
  peakDb: number | null
  /** Its only channel is heard on both sides, and was measured as if it were two. */
  isMono: boolean
  /** Positions of the first and behind the last sound; `endMs` null = there is none. */
  startMs: number
  endMs: number | null
}
/** Its outline is large and seldom wanted, so it is kept apart. */
export interface WaveformRecord {
  trackId: string
  /** base64 of one byte for each of 800 equal parts: its highest sample, 255 = full scale. '' = not to be measured. */
  peaks: string
}
/** `adminLogin` is what the admin was called then, for those without an account that could be asked. */
export type AuditRecord = AuditEntry & {
  /** How often an entry that counts was saved after it was written, for compare-and-set. */
  revision?: number
}

/** A song that somebody pays for. What it costs is settled when it is ordered. */
export interface DonationRecord extends Money {
  /** uuid */
  id: string
  /** Who ordered it. */
  uid: string
  /** The song as it was called then. */
  songId: string
  songTitle: string
  songArtist: string
  provider: PaymentProviderId
  /** null without tiers. */
  tier: number | null
  status: DonationStatus
  /**
   * The way of the song, once it is paid: `due` until it is queued or cannot be; `refusing` until all have been told that
   * it will not be heard.
   */
  queue: 'due' | 'queued' | 'aired' | 'refusing' | 'refused' | null
  /** Why the song of a paid order will not be heard. */
  refusedWhy: string | null
  /** epoch ms at which its song went on the air. */
  airedAt: number | null
  /** What the donor writes in the comment; null where the service itself knows the order. */
  matchCode: string | null
  /** The code while a payment is awaited for it, else the id: a code is unique among pending orders. */
  claimKey: string
  /** epoch ms until which a payment counts; null = any time. */
  expiresAt: number | null
  createdAt: number
  /** epoch ms at which the payment was confirmed. */
  paidAt: number | null
  /** By which the payment is found at the service. */
  reference: string | null
  /** By how much the station's clock was ahead of the wall clock whose dates these are, ms; absent = not at all. */
  aheadMs?: number
}
/** What happened to a donation; only ever added to. */
export interface LedgerRecord {
  id: number
  donationId: string
  event: 'created' | 'delivered' | 'claimed' | 'queued' | 'on-air' | 'finished' | 'refused'
  /** What this entry is of, so that it is written once however often that is told. */
  onceKey: string
  atMs: number
  /** Why, and by which payment. */
  note: string
}

/** What a payment service has told, from its delivery until it is applied. */
export interface InboxRecord {
  /** Provider and event: the same however often it is delivered. */
  id: string
  provider: PaymentProviderId
  payment: Payment
  /** epoch ms */
  receivedAt: number
}

/** An entry of the audit log that the store has not taken yet. */
export interface SpooledAuditEntry {
  id: string
  entry: Omit<AuditEntry, 'id'>
  /** epoch ms */
  receivedAt: number
}

/** Where records outlive this process while the store does not answer: on its own disk. */
export interface Spool<T extends { id: string; receivedAt: number }> {
  /** Resolves when it would survive a power cut. @throws when it cannot be written. */
  keep(record: T): Promise<void>
  /** What was kept, in order of receipt. */
  all(): Promise<T[]>
  remove(id: string): Promise<void>
}

/** What waits on this machine's disk for the store. */
export interface Spools {
  deliveries: Spool<InboxRecord>
  auditEntries: Spool<SpooledAuditEntry>
}

/** `network` is what is banned: see `networkOf`. */
export type BanRecord = BanEntry & { network: string }

/**
 * All that the station remembers, one line per collection. Records are plain JSON and must not be changed by those who
 * read them. Every promise of a change resolves when the change is durable.
 */
export interface DataStore {
  readonly tracks: Collection<TrackRecord, 'id'>
  readonly lyrics: Collection<LyricsRecord, 'key'>
  readonly offsets: Collection<OffsetRecord, 'key'>
  readonly artists: Collection<ArtistRecord, 'artist'>
  readonly history: Collection<HistoryRecord, 'id'>
  readonly settings: Collection<SettingsRecord, 'section'>
  readonly clips: Collection<ClipRecord, 'id'>
  readonly groups: Collection<GroupRecord, 'id'>
  readonly admins: Collection<AdminRecord, 'adminId'>
  readonly sessions: Collection<SessionRecord, 'id'>
  readonly sessionCuts: Collection<SessionCutRecord, 'adminId'>
  readonly audit: Collection<AuditRecord, 'id'>
  readonly bans: Collection<BanRecord, 'network'>
  readonly donations: Collection<DonationRecord, 'id'>
  readonly ledger: Collection<LedgerRecord, 'id'>
  readonly inbox: Collection<InboxRecord, 'id'>
  readonly measurements: Collection<MeasurementRecord, 'trackId'>
  readonly waveforms: Collection<WaveformRecord, 'trackId'>
  close(): Promise<void>
}

export interface Collection<T extends object, K extends keyof T & string> {
  get(key: T[K]): Promise<Readonly<T> | null>
  /**
   * All records that equal `where` in every field it names, in order of insertion; without `where` it may be the same
   * array every time while nothing changed.
   */
  find(where?: Partial<T>): Promise<readonly Readonly<T>[]>
  /** Adds a record; null when its key, or another unique combination of the collection, is taken. A serial key is given by the store. */
  insert(record: NewRecord<T, K>): Promise<Readonly<T> | null>
  /** Adds or replaces. @throws when another record has its unique combination. */
  put(record: T): Promise<void>
  /**
   * Changes the records that equal `where`, and says how many: compare-and-set.
   * @throws when one would take the key or the unique combination of another; then nothing is changed.
   */
  update(where: Partial<T>, change: Partial<T>): Promise<number>
  /** Removes the records that equal `where`, or that the predicate names, and says how many. */
  delete(where: Partial<T> | ((record: Readonly<T>) => boolean)): Promise<number>
  /** All there is, as it was at one moment: read from where it is kept, and not from memory. */
  contents(): Promise<Contents<T>>
  /**
   * Puts this in place of all there is, in one step.
   * @throws when a record has no key, or two have the same or a unique combination in common; then nothing is changed.
   */
  replaceAll(contents: Contents<T>): Promise<void>
}

/** What a collection holds. */
export interface Contents<T> {
  /** In order of insertion. */
  records: readonly Readonly<T>[]
  /** The last serial number that was given, 0 when none was. */
  serial: number
}

/** A record before the store gave it its serial number. */
export type NewRecord<T, K extends keyof T> = T[K] extends number ? Omit<T, K> : T

/** The collections: the key, whether the store counts it, and further unique fields. */
export const collections = {
  tracks: { key: 'id' },
  lyrics: { key: 'key' },
  offsets: { key: 'key' },
  artists: { key: 'artist' },
  history: { key: 'id', serial: true, unique: ['trackId', 'playedAt'] },
  settings: { key: 'section' },
  clips: { key: 'id', unique: ['family', 'nameKey'] },
  groups: { key: 'id', unique: ['nameKey'] },
  admins: { key: 'adminId', unique: ['loginKey'] },
  sessions: { key: 'id' },
  sessionCuts: { key: 'adminId' },
  audit: { key: 'id', serial: true },
  bans: { key: 'network' },
  donations: { key: 'id', unique: ['claimKey'] },
  ledger: { key: 'id', serial: true, unique: ['onceKey'] },
  inbox: { key: 'id' },
  measurements: { key: 'trackId' },
  waveforms: { key: 'trackId' },
} as const satisfies Record<Exclude<keyof DataStore, 'close'>, CollectionSpec>

export interface CollectionSpec {
  key: string
  serial?: boolean
  unique?: readonly string[]
}
