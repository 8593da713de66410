import type {
  EventRecord,
  MailMarkRecord,
  WebhookMarkRecord,
  WebhookMessageRecord,
  WebhookRecord,
} from './event-records.ts'
import type {
  AdminRecord,
  AlarmRecord,
  ArtistRecord,
  AuditRecord,
  BanRecord,
  ClipRecord,
  CoverRecord,
  DonationRecord,
  GroupRecord,
  HistoryRecord,
  InboxRecord,
  LedgerRecord,
  LyricsRecord,
  MeasurementRecord,
  NotificationRecord,
  OffsetRecord,
  PushKeysRecord,
  SessionCutRecord,
  SessionRecord,
  SettingsRecord,
  TrackCoverRecord,
  TrackRecord,
  WatchRecord,
  WaveformRecord,
} from './records.ts'

export type * from './event-records.ts'
export type * from './records.ts'

/**
 * The station's records. They are plain JSON, and callers must not mutate what they read. Every change is durable once its
 * promise resolves.
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
  readonly covers: Collection<CoverRecord, 'id'>
  readonly trackCovers: Collection<TrackCoverRecord, 'trackId'>
  readonly notifications: Collection<NotificationRecord, 'id'>
  readonly pushKeys: Collection<PushKeysRecord, 'id'>
  readonly webhooks: Collection<WebhookRecord, 'id'>
  readonly webhookMessages: Collection<WebhookMessageRecord, 'key'>
  readonly webhookMarks: Collection<WebhookMarkRecord, 'id'>
  readonly alarms: Collection<AlarmRecord, 'id'>
  readonly events: Collection<EventRecord, 'id'>
  readonly mailMarks: Collection<MailMarkRecord, 'id'>
  readonly watches: Collection<WatchRecord, 'id'>
  close(): Promise<void>
}

export interface Collection<T extends object, K extends keyof T & string> {
  /** Reads the record with a key; null when there is none. */
  get(key: T[K]): Promise<Readonly<T> | null>
  /**
   * Reads the records that equal `where` in every field it names, in order of insertion. Without `where` it is the same
   * array until something changes.
   */
  find(where?: Partial<T>): Promise<readonly Readonly<T>[]>
  /** Adds a record, with a key from the store if it is serial; null when its key or another unique combination is taken. */
  insert(record: NewRecord<T, K>): Promise<Readonly<T> | null>
  /** Adds or replaces a record. @throws when another record has its unique combination. */
  put(record: T): Promise<void>
  /**
   * Changes the records that equal `where` and returns their number, atomically: a compare-and-set.
   * @throws when one would take the key or the unique combination of another; then nothing is changed.
   */
  update(where: Partial<T>, change: Partial<T>): Promise<number>
  /** Removes the records that equal `where` or satisfy the predicate, and returns their number. */
  delete(where: Partial<T> | ((record: Readonly<T>) => boolean)): Promise<number>
  /** Reads a consistent snapshot of the collection from the underlying storage, bypassing any cache. */
  contents(): Promise<Contents<T>>
  /**
   * Replaces the whole collection in one step.
   * @throws when a record has no key, or two share a key or a unique combination; then nothing is changed.
   */
  replaceAll(contents: Contents<T>): Promise<void>
}

/** A snapshot of a collection. */
export interface Contents<T> {
  /** In order of insertion. */
  records: readonly Readonly<T>[]
  /** The last serial number given out, 0 when none was. */
  serial: number
}

/** A record that the store has not given a serial number yet. */
export type NewRecord<T, K extends keyof T> = T[K] extends number ? Omit<T, K> : T

/**
 * The key of each collection, `serial` when the store numbers it, and a further unique combination of fields. A record that lacks one of
 * those, or has null there, shares it with nobody.
 */
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
  audit: { key: 'id', serial: true, unique: ['onceKey'] },
  bans: { key: 'network' },
  donations: { key: 'id', unique: ['claimKey'] },
  ledger: { key: 'id', serial: true, unique: ['onceKey'] },
  inbox: { key: 'id' },
  measurements: { key: 'trackId' },
  waveforms: { key: 'trackId', isLarge: true },
  covers: { key: 'id' },
  trackCovers: { key: 'trackId' },
  notifications: { key: 'id' },
  pushKeys: { key: 'id' },
  webhooks: { key: 'id' },
  webhookMessages: { key: 'key' },
  webhookMarks: { key: 'id' },
  alarms: { key: 'id', serial: true, unique: ['openKey'] },
  events: { key: 'id', serial: true, unique: ['eventId'] },
  mailMarks: { key: 'id' },
  watches: { key: 'id', serial: true },
} as const satisfies Record<Exclude<keyof DataStore, 'close'>, CollectionSpec>

export interface CollectionSpec {
  key: string
  serial?: boolean
  unique?: readonly string[]
  /** Seldom read and too large to be held in memory for that: a store that can reads and changes single records of it by their keys. */
  isLarge?: boolean
}
