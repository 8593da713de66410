import { type Static, Type } from 'typebox'
import { Localized } from '../localized.ts'
import { nullable } from './schema.ts'

const RadioNames = Type.Object({
  dayRadioName: Type.String(),
  nightRadioName: Type.String(),
  messengerLabel: Type.String(),
})

export const UiSettings = Type.Object({
  messenger_url: Type.String(),
  byLang: Type.Object({ uk: RadioNames, en: RadioNames }),
  artistArts: Type.Object({ dayEnabled: Type.Boolean(), nightEnabled: Type.Boolean() }),
})
export type UiSettings = Static<typeof UiSettings>

/** What directories of radio stations are told; an empty text is left out, or follows the station. */
const Directory = Type.Object({
  description: Type.String({ description: 'up to 200 characters' }),
  genre: Type.String({ description: 'up to 60 characters; `Various` when empty' }),
  url: Type.String({ description: 'home page; `PUBLIC_SERVER_URL` when empty' }),
  logo: Type.String({ description: 'address of a JPEG or PNG image' }),
  countryCode: Type.String({ description: 'ISO 3166-1, two letters' }),
  languageCodes: Type.String({ description: 'ISO 639, up to 10 with commas, the most used first' }),
  geoLatLong: Type.String({ description: 'degrees north and east, with a comma' }),
  mainStreamUrl: Type.String({ description: 'the address of the stream that directories should list' }),
  isPublic: Type.Boolean({ description: 'directories may list the station and trust what it says' }),
})

const GroupDefs = Type.Record(Type.String(), Type.Array(Type.String()), {
  description: 'artists by group, in order; the last group takes all other artists',
})

/** The station's settings by section. */
export const Settings = Type.Object({
  branding: Type.Object({
    messenger_url: UiSettings.properties.messenger_url,
    byLang: UiSettings.properties.byLang,
    directory: Directory,
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
    PHRASES_DEFAULT_TIME: Type.Boolean({ description: 'true: 15 s before the end' }),
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
  minGroupCount: Type.Optional(
    Type.Integer({ description: 'number of songs in the smallest group that has any' }),
  ),
  groupCount: Type.Optional(Type.Integer({ description: 'number of groups that have songs' })),
  maxPossibleDuration: Type.Optional(Type.Number({ description: 'seconds' })),
})
export type AlgorithmStatus = Static<typeof AlgorithmStatus>

/** Bounds that the current library sets to the settings. Durations in seconds. */
export const SettingsBounds = Type.Object({
  totalDayDuration: Type.Number({ description: 'seconds' }),
  totalNightDuration: Type.Number({ description: 'seconds' }),
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
