import { type Static, type TSchema, Type } from 'typebox'
import { Localized } from '../localized.ts'
import { Mode, Track, TrackId, UiSettings } from './resources.ts'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const EpochMs = Type.Number({ description: 'epoch ms' })

/** Where a page of a list begins; bounded, because a number that is too long is read as infinite. */
export const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

export const Privileges = Type.Array(Type.String(), { description: 'see `allPrivileges`' })

/** A helper's account as the super admin sees it. */
export const HelperAdmin = Type.Object({
  adminId: Type.String(),
  login: Type.String(),
  privileges: Privileges,
  authorized: Type.Boolean({ description: 'the helper has replaced its temporary password' }),
  createdAt: EpochMs,
  updatedAt: EpochMs,
})
export type HelperAdmin = Static<typeof HelperAdmin>

/** A login that goes on. */
export const AdminSession = Type.Object({
  id: Type.String(),
  createdAt: EpochMs,
  lastSeenAt: Type.Number({ description: 'epoch ms, to a minute' }),
  address: Type.String({ description: 'where it was last used from' }),
  userAgent: Type.String({ description: 'of the last use, at most 120 characters' }),
  current: Type.Boolean({ description: 'the one that asks' }),
})
export type AdminSession = Static<typeof AdminSession>

/** The operations of which an entry counts several. */
const ABOUT_LOGINS =
  'What was done, such as `upload_song`. `admin_login`, `admin_login_failed` and `admin_logout` count what one account did from one network within an hour: their `data` is `{ ip, count, lastAt }`, with `ip` null where there were too many networks to list.'

/** What an admin did. `data` depends on the operation; `details` says what changed from what to what. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  adminId: Type.String({
    description: 'uuid, `super`, `guest`, `donation`, or `unknown`: a login that nobody has',
  }),
  adminLogin: Type.String(),
  operationType: Type.String({ description: ABOUT_LOGINS }),
  createdAt: EpochMs,
  data: Type.Object(
    {
      details: Type.Optional(
        Type.Object({
          version: Type.Literal(1),
          changes: Type.Array(
            Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }),
          ),
          info: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    },
    { additionalProperties: true },
  ),
})
export type AuditEntry = Static<typeof AuditEntry>

export const clipFamilyNames = ['jingles', 'phrases', 'background-music'] as const
export type ClipFamily = (typeof clipFamilyNames)[number]

/** A jingle, a phrase or a piece of background music. */
export const Clip = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  mode: Mode,
  duration: nullable(Type.Number({ description: 'seconds' })),
  used: Type.Boolean({ description: 'may go on air' }),
  createdAt: EpochMs,
})
export type Clip = Static<typeof Clip>

export const LyricsStatus = Type.Union([Type.Literal('synced'), Type.Literal('plain'), Type.Literal('none')])
export type LyricsStatus = Static<typeof LyricsStatus>

/** Lyrics as clients send them: lines of plain lyrics may come as strings, and what was not found has none. */
export const LyricsInput = Type.Object({
  synced: Type.Optional(Type.Boolean()),
  lines: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Object({
          time: Type.Number({ minimum: 0, maximum: 86_400 }),
          text: Type.String({ maxLength: 2_000 }),
        }),
        Type.String({ maxLength: 2_000 }),
      ]),
      { maxItems: 5_000 },
    ),
  ),
  notFound: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String({ maxLength: 100 })),
  fetchedAt: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15, description: 'epoch ms' })),
})
export type LyricsInput = Static<typeof LyricsInput>

export const SongPreview = Type.Object({
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
})
export type SongPreview = Static<typeof SongPreview>

export const SongGroup = Type.Object({
  id: Type.String(),
  name: Type.String(),
  mode: Mode,
  songs: Type.Array(TrackId),
  songCount: Type.Integer(),
  songsPreview: Type.Array(SongPreview, { description: 'every song of the group, in order' }),
})
export type SongGroup = Static<typeof SongGroup>

const GroupDefs = Type.Record(Type.String(), Type.Array(Type.String()), {
  description: 'artists by group, in order; the last group takes everybody else',
})

/** The station's settings by section. */
export const Settings = Type.Object({
  branding: Type.Object({
    messenger_url: UiSettings.properties.messenger_url,
    byLang: UiSettings.properties.byLang,
  }),
  generation: Type.Object({
    USE_ALL_DAY_SONGS: Type.Boolean(),
    USE_ALL_NIGHT_SONGS: Type.Boolean(),
    MAX_DAY_DURATION: Type.Integer({ description: 'seconds' }),
    MAX_NIGHT_DURATION: Type.Integer({ description: 'seconds' }),
    DAY_ALGORYTM: Type.Boolean(),
    NIGHT_ALGORYTM: Type.Boolean(),
    GROUP_SECTIONS_ALGORYTM: Type.Boolean(),
    NIGHT_GROUP_SECTIONS_ALGORYTM: Type.Boolean(),
    GROUP_DEFS: GroupDefs,
    NIGHT_GROUP_DEFS: GroupDefs,
    SONGS_PER_SECTION: Type.Integer(),
    NIGHT_SONGS_PER_SECTION: Type.Integer(),
    JINGLES_ENABLED: Type.Boolean(),
    JINGLES_RANDOM: Type.Boolean(),
    JINGLES_FREQUENCY: Type.Integer(),
    PHRASES_ENABLED: Type.Boolean(),
    PHRASES_RANDOM: Type.Boolean(),
    PHRASES_DEFAULT_TIME: Type.Boolean({ description: 'true = 15 s before the end' }),
    PHRASES_TIME_SECONDS: Type.Number(),
    PHRASES_DAY_ID: Type.String(),
    PHRASES_NIGHT_ID: Type.String(),
  }),
  radioHosts: Type.Object({
    guestMaxDurationMinutes: Type.Integer(),
    specialGuestMaxDurationMinutes: Type.Integer(),
    backgroundMusicMode: Type.Union([Type.Literal('random'), Type.Literal('hostChoice')]),
  }),
  artistArts: UiSettings.properties.artistArts,
})
export type Settings = Static<typeof Settings>

const Span = Type.Object({ min: Type.Number(), max: Type.Number() })
const AlgorithmStatus = Type.Object({
  canUse: Type.Boolean(),
  reason: nullable(Localized),
  minGroupCount: Type.Optional(Type.Integer({ description: 'songs of the smallest group that has any' })),
  groupCount: Type.Optional(Type.Integer({ description: 'groups that have songs' })),
  maxPossibleDuration: Type.Optional(Type.Number({ description: 'seconds' })),
})
export type AlgorithmStatus = Static<typeof AlgorithmStatus>

/** What the library of this moment allows the settings to be. Durations in seconds. */
export const SettingsBounds = Type.Object({
  totalDayDuration: Type.Number(),
  totalNightDuration: Type.Number(),
  MAX_DAY_DURATION: Span,
  MAX_NIGHT_DURATION: Span,
  SONGS_PER_SECTION: Span,
  NIGHT_SONGS_PER_SECTION: Span,
  PHRASES_TIME_SECONDS: Span,
  groupSongCounts: Type.Record(Type.String(), Type.Integer()),
  nightGroupSongCounts: Type.Record(Type.String(), Type.Integer()),
  dayAlgorithmStatus: AlgorithmStatus,
  groupSectionsAlgorithmStatus: AlgorithmStatus,
  nightAlgorithmStatus: AlgorithmStatus,
  nightGroupSectionsAlgorithmStatus: AlgorithmStatus,
})
export type SettingsBounds = Static<typeof SettingsBounds>

/** An artist record that a change of the library removed. */
export const RemovedArtist = Type.Object({ artist: Type.String(), hasArt: Type.Boolean() })
export type RemovedArtist = Static<typeof RemovedArtist>

export const TrackResult = Type.Object({
  songId: Type.String(),
  ok: Type.Boolean(),
  newId: Type.Optional(TrackId),
  track: Type.Optional(Track),
  error: Type.Optional(Type.String({ description: 'the code of the refusal' })),
})
export type TrackResult = Static<typeof TrackResult>

export const ClipResult = Type.Object({
  id: Type.String(),
  ok: Type.Boolean(),
  error: Type.Optional(Type.String({ description: '`not_found` or a text' })),
})
export type ClipResult = Static<typeof ClipResult>

/** One track of a lyrics batch. */
export const LyricsBatchResult = Type.Object({
  songId: Type.String(),
  outcome: Type.Union([
    Type.Literal('saved'),
    Type.Literal('kept'),
    Type.Literal('not_found'),
    Type.Literal('failed'),
  ]),
  before: LyricsStatus,
  after: LyricsStatus,
  error: Type.Optional(Type.String({ description: 'the code of the refusal' })),
})
export type LyricsBatchResult = Static<typeof LyricsBatchResult>

export const JobState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('active'),
  Type.Literal('delayed'),
  Type.Literal('failed'),
  Type.Literal('completed'),
  Type.Literal('paused'),
])
export type JobState = Static<typeof JobState>

/** What a queue of background jobs holds; nothing of what the jobs are given and answer. */
export const QueueReport = Type.Object({
  name: Type.String(),
  counts: Type.Object({
    waiting: Type.Integer(),
    active: Type.Integer(),
    delayed: Type.Integer(),
    failed: Type.Integer(),
    completed: Type.Integer(),
    paused: Type.Integer(),
  }),
  recurrences: Type.Array(
    Type.Object({
      name: Type.String(),
      pattern: nullable(Type.String({ description: 'cron, in the time zone' })),
      timeZone: nullable(Type.String()),
      everyMs: nullable(Type.Number()),
      nextAt: nullable(EpochMs),
    }),
  ),
  jobs: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      state: JobState,
      attempts: Type.Integer({ description: 'made so far' }),
      progress: nullable(Type.Object({ done: Type.Number(), total: Type.Number() })),
      createdAt: EpochMs,
      startedAt: nullable(EpochMs),
      finishedAt: nullable(EpochMs),
      failedReason: nullable(Type.String({ description: 'code of the refusal, or one line' })),
    }),
  ),
  total: Type.Integer({ description: 'jobs of the state asked for, or of all states' }),
})
export type QueueReport = Static<typeof QueueReport>
