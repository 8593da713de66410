import { Type } from 'typebox'
import { BRANDING_EXAMPLE, SETTINGS_EXAMPLE } from '../examples/settings.ts'
import { Localized } from '../localized.ts'
import { AuditPage } from '../resources/admin.ts'
import { Alarm } from '../resources/alarm.ts'
import { type AuditCategory, auditCategories } from '../resources/audit-categories.ts'
import { ForecastItem } from '../resources/forecast.ts'
import { SongGroup } from '../resources/library/group.ts'
import { HistoryItem, Mode, TrackId } from '../resources/library/track.ts'
import { Offset } from '../resources/schema.ts'
import { Settings, SettingsBounds } from '../resources/settings.ts'
import { bytes, defineRoute, needs, perSection } from '../route.ts'

const Section = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const Category = Type.Enum(Object.keys(auditCategories) as AuditCategory[], {
  description: 'what the operations are about; default: anything',
})
const SettingsNow = {
  settings: Type.Object({ ...Settings.properties, songGroups: Type.Array(SongGroup) }),
  bounds: SettingsBounds,
  songGroups: Type.Array(SongGroup),
  insertCooldownSecsLeft: Type.Integer(),
}
const ByArtist = Type.Record(
  Type.String(),
  Type.Array(
    Type.Object({
      file: TrackId,
      title: Type.String(),
      album: Type.String(),
      year: Type.Union([Type.Number(), Type.Null()]),
      duration: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
)
const TRACK = {
  file: 'day/Morning Tide.mp3',
  title: 'Morning Tide',
  album: 'Shores',
  year: 2024,
  duration: 184.3,
}

export const getAudit = defineRoute({
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'Returns the audit log, newest entries first',
  access: 'admin',
  capability: 'auditLog',
  query: Type.Object({
    window: Type.Optional(Type.String({ description: '`1h`, `6h`, `24h` (default) or `7d`' })),
    category: Type.Optional(Category),
    limit: Type.Integer({ minimum: 1, default: 30, description: 'at most 200' }),
    offset: Offset,
  }),
  reply: AuditPage,
  failures: ['BAD_REQUEST'],
  example: {
    query: { window: '24h', limit: 30 },
    reply: {
      ok: true,
      entries: [
        {
          id: 1,
          adminId: 'super',
          adminLogin: 'admin',
          operationType: 'group_edit',
          createdAt: 1_790_000_000_000,
          data: {
            name: 'Mornings',
            details: {
              version: 1,
              changes: [{ field: 'name', before: 'Early', after: 'Mornings' }],
              info: {},
            },
          },
        },
      ],
      total: 1,
      offset: 0,
      limit: 30,
    },
  },
})

export const getPlayHistory = defineRoute({
  method: 'GET',
  path: '/api/admin/history',
  summary: 'Returns the whole play history, newest first, including the current track',
  access: needs('stats'),
  capability: 'history',
  query: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 300, description: 'words of artist and title' })),
    mode: Type.Optional(Mode),
    since: Type.Optional(Type.Number({ minimum: 0, description: 'epoch ms' })),
    until: Type.Optional(Type.Number({ minimum: 0, description: 'epoch ms, exclusive' })),
    offset: Offset,
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'without it all entries' })),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    entries: Type.Array(HistoryItem),
    total: Type.Integer({ description: 'entries that match' }),
  }),
  failures: ['BAD_REQUEST'],
  example: {
    query: { q: 'tide', mode: 'day', limit: 30 },
    reply: {
      ok: true,
      entries: [
        {
          id: 7,
          trackId: 'day/Morning Tide.mp3',
          title: 'Morning Tide',
          artist: 'Hilda',
          album: 'Shores',
          mode: 'day',
          playedAt: 1_790_000_000_000,
        },
      ],
      total: 1,
    },
  },
})

export const getStats = defineRoute({
  method: 'GET',
  path: '/api/admin/stats',
  summary: 'Returns the tracks of the library by mode, group and artist',
  access: needs('stats'),
  reply: Type.Object({
    day: ByArtist,
    night: ByArtist,
    genres: Type.Record(Type.String(), ByArtist),
    nightGenres: Type.Record(Type.String(), ByArtist),
  }),
  failures: [],
  example: {
    reply: { day: { Hilda: [TRACK] }, night: {}, genres: { Calm: { Hilda: [TRACK] } }, nightGenres: {} },
  },
})

export const getAlarms = defineRoute({
  method: 'GET',
  path: '/api/admin/alarms',
  summary:
    'Returns the faults that the monitor heard on air: those that go on, then the others, newest first',
  access: needs('stats'),
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, default: 30, description: 'at most 200' }),
    offset: Offset,
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    alarms: Type.Array(Alarm),
    total: Type.Integer(),
  }),
  failures: ['BAD_REQUEST'],
  example: {
    query: { limit: 30 },
    reply: {
      ok: true,
      alarms: [
        {
          id: 3,
          cause: 'silence',
          source: 'https://radio.example',
          beganAt: 1_790_000_000_000,
          endedAt: 1_790_000_012_000,
          evidence: 'silent for 8.1 s during "Hilda - Morning Tide"',
          hasEvidence: true,
        },
      ],
      total: 1,
    },
  },
})

export const getAlarmEvidence = defineRoute({
  method: 'GET',
  path: '/api/admin/alarms/evidence',
  summary:
    'Returns what was heard in the 5 s before and after the beginning of an alarm, as far as any was; supports single byte ranges',
  access: needs('stats'),
  query: Type.Object({ alarmId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  headers: Type.Object({ Range: Type.Optional(Type.String()) }),
  reply: {
    ...bytes('audio/mpeg', 'The sound as one listener heard it, or the requested range of it'),
    hasRanges: true,
  },
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'STORAGE_URL_FAILED'],
  example: { query: { alarmId: 3 } },
})

export const switchMode = defineRoute({
  method: 'POST',
  path: '/api/admin/switch-mode',
  summary: 'Switches the programme mode, now or at a given time',
  access: needs('mode_switch'),
  body: Type.Object({
    targetMode: Type.Optional(Type.String()),
    scheduledTime: Type.Optional(
      Type.String({
        description: "HH:MM in the station's time zone; a time already past means tomorrow, null means now",
      }),
    ),
  }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['BAD_REQUEST', 'MODE_SWITCH_REFUSED', 'AIR_UNAVAILABLE'],
  example: { body: { targetMode: 'night', scheduledTime: '23:30' }, reply: { ok: true } },
})

export const cancelSwitch = defineRoute({
  method: 'DELETE',
  path: '/api/admin/switch-mode',
  summary: 'Takes back the switch of the programme mode that is pending, if there is one',
  access: needs('mode_switch'),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { ok: true } },
})

export const downloadBackup = defineRoute({
  method: 'GET',
  path: '/api/admin/backup',
  summary:
    'Returns a backup of all records, and optionally all files, for the `restore` command; one at a time per replica',
  access: 'super',
  query: Type.Object({
    media: Type.Boolean({ default: false, description: 'whether to include all files' }),
  }),
  reply: bytes('application/gzip', 'A `.tar.gz`, complete only if the connection ends regularly'),
  failures: ['BAD_REQUEST', 'BACKUP_RUNNING'],
})

export const getSettings = defineRoute({
  method: 'GET',
  path: '/api/admin/settings',
  summary: 'Returns all settings, with the limits that the library sets to them',
  access: 'admin',
  reply: Type.Object(SettingsNow),
  failures: [],
  example: { reply: SETTINGS_EXAMPLE },
})

const SongsByArtist = Type.Record(Type.String(), Type.Integer())

export const previewBounds = defineRoute({
  method: 'POST',
  path: '/api/admin/settings/bounds',
  summary: 'Returns the limits that the library would set to settings that are not saved; changes nothing',
  access: 'admin',
  body: Type.Object({ generation: Section }),
  reply: Type.Object({
    bounds: SettingsBounds,
    unassigned: Type.Object(
      { day: Type.Array(Type.String()), night: Type.Array(Type.String()) },
      { description: 'artists that no group names; their songs count to the last group' },
    ),
    artistSongs: Type.Object(
      { day: SongsByArtist, night: SongsByArtist },
      { description: 'songs that each artist of a group, or without one, brings to it' },
    ),
  }),
  failures: ['BAD_REQUEST'],
  example: {
    body: { generation: { GROUP_DEFS: { Calm: ['Hilda'], Lively: ['Oskar'] } } },
    reply: {
      bounds: SETTINGS_EXAMPLE.bounds,
      unassigned: { day: ['The Ferry'], night: [] },
      artistSongs: { day: { Hilda: 12, Oskar: 9, 'The Ferry': 1 }, night: {} },
    },
  },
})

const Seed = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })

export const forecastProgramme = defineRoute({
  method: 'POST',
  path: '/api/admin/settings/forecast',
  summary:
    'Returns the programme of the next hour as settings that are not saved would make it; changes nothing',
  access: needs('settings_algorithm'),
  body: Type.Object({
    generation: Section,
    seed: Type.Optional({
      ...Seed,
      description: 'of the random choices; the same seed gives the same programme',
    }),
    from: Type.Optional(
      Type.Union([Type.Literal('queue'), Type.Literal('list')], {
        description:
          '`queue` (default): what is queued is played first; `list`: as if the playlist were made now',
      }),
    ),
  }),
  reply: Type.Object({ seed: Seed, items: Type.Array(ForecastItem, { maxItems: 200 }) }),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { generation: { JINGLES_FREQUENCY: 3 }, seed: 7, from: 'list' },
    reply: {
      seed: 7,
      items: [
        {
          type: 'song',
          startsAt: 1_790_000_000_000,
          mode: 'day',
          id: TRACK.file,
          title: TRACK.title,
          artist: 'Hilda',
          duration: TRACK.duration,
          orderType: null,
          tier: null,
          isQueued: true,
          phrase: null,
        },
        {
          type: 'jingle',
          startsAt: 1_790_000_184_300,
          mode: 'day',
          id: 'c1',
          filename: 'Station call.mp3',
          duration: 5.2,
        },
      ],
    },
  },
})

export const saveSettings = defineRoute({
  method: 'POST',
  path: '/api/admin/settings',
  summary: 'Saves the sections that changed; each section needs its own privilege',
  access: perSection('settings_branding', 'settings_algorithm', 'radio_moderator'),
  capability: 'editSettings',
  body: Type.Object({
    branding: Section,
    generation: Section,
    radioHosts: Section,
    artistArts: Section,
    songGroups: Type.Optional(Type.Unknown({ description: 'ignored' })),
  }),
  reply: Type.Object({
    ...SettingsNow,
    algorithmNotice: Type.Union([Localized, Type.Null()]),
    message: Localized,
  }),
  failures: ['BAD_REQUEST'],
  example: {
    body: { branding: BRANDING_EXAMPLE },
    reply: {
      ...SETTINGS_EXAMPLE,
      algorithmNotice: null,
      message: { uk: 'Налаштування збережено', en: 'The settings are saved' },
    },
  },
})
