import type {
  Alarm,
  AuditEntry,
  BanEntry,
  Clip,
  ClipFamily,
  DonationSettings,
  DonationStatus,
  HelperAdmin,
  HistoryItem,
  Locale,
  LyricsEntry,
  Mode,
  Privilege,
  Settings,
  Track,
} from '@solstice/contracts'
import type { Money, Payment, PaymentProviderId } from '../payments.ts'

/** A stored track; `addedAt` and `addedBy` are known only for uploads. */
export type TrackRecord = Track & {
  /** epoch ms of the commit. */
  addedAt?: number
  /** `adminId` of the uploader. */
  addedBy?: string
  /** Cue points that an admin set, ms; null or absent = as measured. They stay when the file is measured again. */
  cueInMs?: number | null
  cueOutMs?: number | null
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
  /** The colour of the image, `#rrggbb`; null = it has none that can be read, '' or absent = not looked at yet. */
  color?: string | null
}
/** All settings by section; donation settings are read and saved separately. */
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
/** `nameKey` is the file name in lower case: names are unique per family, across modes and ignoring case. */
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
  /** The login in lower case: logins are unique, ignoring case. */
  loginKey: string
  passwordHash: string
  /** epoch ms at which the temporary password was set. */
  temporarySinceMs: number
}
/** A session of an admin, stored until its token expires, even if it was ended earlier. */
export interface SessionRecord {
  id: string
  adminId: string
  createdAt: number
  /** epoch ms of its last use, accurate to a minute. */
  lastSeenAt: number
  /** epoch ms at which its token expires. */
  expiresAt: number
  /** epoch ms at which it was ended; null = active. */
  endedAt: number | null
  /** IP address of its last use. */
  address: string
  userAgent: string
}
/**
 * Ends all sessions of an account that began at or before `beforeMs`, stored or not, except one. With `reach` only those that are
 * not stored.
 */
export interface SessionCutRecord {
  adminId: string
  beforeMs: number
  sparedId: string | null
  reach?: 'not-stored'
}
/** `startedAtMs` is `playedAt` by the station's clock; older records have only that time, stored as `playedAt`. */
export type HistoryRecord = HistoryItem & { startedAtMs?: number }
/** Loudness and cue points measured in a track's file. */
export interface MeasurementRecord {
  trackId: string
  /** The file that was measured, as `MediaStat`. */
  size: number
  modifiedMs: number
  /** Integrated loudness (EBU R128), LUFS; null = silent, too short, or not to be measured. */
  lufs: number | null
  /** True peak, dBTP. */
  peakDb: number | null
  /** The file has one channel, which is played on both sides and was measured as two. */
  isMono: boolean
  /** Cue points: the start of the first sound and the end of the last; `endMs` null = no sound at all. */
  startMs: number
  endMs: number | null
}
/** The waveform of a track, stored apart from its measurements because it is large and seldom read. */
export interface WaveformRecord {
  trackId: string
  /** base64 of one byte for each of 800 equal parts: its highest sample, 255 = full scale. '' = not to be measured. */
  peaks: string
}
/** A cover of one or more tracks, once in the media storage: `covers/<id>.<size>.webp`. */
export interface CoverRecord {
  /** Begins the SHA-256 of the picture in the tags, 32 hexadecimal digits, so that the tracks of an album share it. */
  id: string
  /** The colour that it is remembered by, `#rrggbb`. */
  color: string
  /** Sizes of its images, pixels, ascending. */
  sizes: number[]
}
/** The cover in a track's file. */
export interface TrackCoverRecord {
  trackId: string
  /** The file that was looked at, as `MediaStat`. */
  size: number
  modifiedMs: number
  /** null = it has no picture that can be read. */
  coverId: string | null
}
/** `adminLogin` is the login at that time, for authors without an account to look up. */
export type AuditRecord = AuditEntry & {
  /** Number of updates to an entry that adds up repeated actions, for compare-and-set. */
  revision?: number
  /** Identifies the action, so that it is written once, whoever writes it; absent in older entries and in those with a revision. */
  onceKey?: string
}

/** An order of a paid track. Its price is fixed when it is ordered. */
export interface DonationRecord extends Money {
  /** uuid */
  id: string
  /** The listener who ordered it. */
  uid: string
  /** The track, with its title and artist at the time of the order. */
  songId: string
  songTitle: string
  songArtist: string
  provider: PaymentProviderId
  /** null without tiers. */
  tier: number | null
  status: DonationStatus
  /**
   * Progress of a paid track: `due` until it is queued or refused; `refusing` until everyone has been told that it will
   * not be played.
   */
  queue: 'due' | 'queued' | 'aired' | 'refusing' | 'refused' | null
  /** The reason why the track of a paid order will not be played. */
  refusedWhy: string | null
  /** epoch ms at which its track went on the air. */
  airedAt: number | null
  /** How often an admin had its track queued again; absent = 0. */
  requeues?: number
  /** epoch ms at which an admin last had it queued again. */
  requeuedAt?: number
  /** The code that the donor writes in the comment; null where the payment service knows the order itself. */
  matchCode: string | null
  /** The match code while the order is pending, else the id, so that codes are unique among pending orders. */
  claimKey: string
  /** epoch ms until which a payment is accepted; null = no limit. */
  expiresAt: number | null
  createdAt: number
  /** epoch ms at which the payment was confirmed. */
  paidAt: number | null
  /** The payment's reference at the payment service. */
  reference: string | null
  /** ms by which the station's clock was ahead of the wall clock at the time of these dates; absent = 0. */
  aheadMs?: number
}
/** An event in the life of a donation. The ledger is append-only. */
export interface LedgerRecord {
  id: number
  donationId: string
  event:
    | 'created'
    | 'delivered'
    | 'claimed'
    | 'queued'
    | 'on-air'
    | 'finished'
    | 'refused'
    | 'requeued'
    | 'paid-back'
  /** Identifies the event, so that it is written once however often it is reported. */
  onceKey: string
  atMs: number
  /** The reason, and the payment. */
  note: string
}

/** A payment event, stored from its delivery until it is applied. */
export interface InboxRecord {
  /** Provider and event, so that a repeated delivery has the same id. */
  id: string
  provider: PaymentProviderId
  payment: Payment
  /** epoch ms */
  receivedAt: number
}

/** An entry of the audit log that the store has not taken yet. */
export interface SpooledAuditEntry {
  id: string
  entry: Omit<AuditRecord, 'id' | 'revision'>
  /** epoch ms */
  receivedAt: number
}

/** The beginning or the end of an alarm that the store has not taken yet. */
export interface SpooledAlarm extends Pick<AlarmRecord, 'cause' | 'source'> {
  id: string
  /** Of its beginning; null = it ended. */
  evidence: string | null
  /** When it began or ended, epoch ms. */
  receivedAt: number
  /** It was told by e-mail already. */
  isMailed?: boolean
}

/** The sound of an alarm's beginning, which is not stored with the alarm yet. */
export interface SpooledSound extends Pick<AlarmRecord, 'cause' | 'source'> {
  id: string
  /** When the alarm began, epoch ms. */
  receivedAt: number
  /** base64 */
  mp3: string
}

/** Holds records on this machine's disk while the store is unavailable, across restarts of the process. */
export interface Spool<T extends { id: string; receivedAt: number }> {
  /** Writes a record; resolves when it would survive a power cut. @throws when it cannot be written. */
  keep(record: T): Promise<void>
  /** Reads all records, in order of receipt. */
  all(): Promise<T[]>
  /** Removes a record; an absent one is no error. */
  remove(id: string): Promise<void>
}

/** The records that wait on this machine's disk for the store. */
export interface Spools {
  deliveries: Spool<InboxRecord>
  auditEntries: Spool<SpooledAuditEntry>
  alarms: Spool<SpooledAlarm>
  alarmSounds: Spool<SpooledSound>
}

/** A listener's wish to be told when one track is next; deleted when it was told, or the track is over. */
export interface NotificationRecord {
  /** Begins the SHA-256 of device and track, so that a repeated wish is the same one. */
  id: string
  uid: string
  /** The device: its address at a push service, and the keys that its messages are encrypted with. */
  endpoint: string
  p256dh: string
  auth: string
  lang: Locale
  trackId: string
  /** The order that the track was paid with; null = it was requested. */
  donationId: string | null
  /** station time, ms */
  createdAt: number
}

/** The key pair that proves to push services who sends (VAPID), made once. */
export interface PushKeysRecord {
  id: 'station'
  /** P-256, base64url. */
  publicKey: string
  privateKey: string
}

/** A ban applies to `network` (see `networkOf`). */
export type BanRecord = BanEntry & { network: string }

/** `openKey` is cause and source while it lasts, then the id as text: a fault begins once, whoever hears it. */
export type AlarmRecord = Omit<Alarm, 'hasEvidence'> & {
  openKey: string
  /** Absent in older records. */
  hasEvidence?: boolean
  /** Told by e-mail before the store knew of it; absent = nothing. */
  mailed?: ('alarm.began' | 'alarm.ended')[]
}
/** A time in which the monitor listened; the last one grows while it does. */
export interface WatchRecord {
  id: number
  fromMs: number
  untilMs: number
  /** Number of the addresses. */
  addresses: number
}
