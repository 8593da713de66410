import { type Static, Type } from 'typebox'
import { DonationSettings } from './donation.ts'
import { Cover, Mode, OrderType, QueueItem, TrackId } from './library/track.ts'
import { nullable } from './schema.ts'
import { UiSettings } from './settings.ts'
import { stream } from './sites/now-playing.ts'

/** The air at `serverTimeMs`: the payload of `sync`. */
export const RadioState = Type.Object({
  track: nullable(TrackId),
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
  orderType: OrderType,
  tier: nullable(Type.Integer()),
  duration: Type.Number({ description: 'seconds; 0 when unknown' }),
  seek: Type.Number({ description: 'position in seconds at `serverTimeMs`' }),
  isPlaying: Type.Boolean(),
  playlist: Type.Array(QueueItem, { maxItems: 10 }),
  currentIndex: Type.Integer(),
  totalTracks: Type.Integer(),
  mode: Mode,
  serverTimeMs: Type.Integer(),
  isPreparing: Type.Boolean(),
  pendingModeSwitch: nullable(Type.Object({ targetMode: Mode, executeAtMs: nullable(Type.Integer()) })),
  skipCooldownSecsLeft: Type.Integer(),
  dayStartHour: Type.Integer(),
  nightStartHour: Type.Integer(),
  uiSettings: UiSettings,
  cover: Type.Optional(nullable(Cover)),
  gainDb: Type.Optional(
    Type.Number({ description: 'sync mode only: gain in dB to play the file with; absent means 0' }),
  ),
  nextGainDb: Type.Optional(
    Type.Number({
      description: 'sync mode only: the same for the first of `playlist`, which begins when `track` ends',
    }),
  ),
})
export type RadioState = Static<typeof RadioState>

/** One connected socket, as the others see it. */
export const User = Type.Object({
  name: Type.Object({ uk: Type.String(), en: Type.String() }),
  img: Type.String({ description: 'file name for `GET /api/avatar/:filename`' }),
  color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
  isAdmin: Type.Optional(Type.Boolean()),
  isSuperAdmin: Type.Optional(Type.Boolean()),
  isOnAir: Type.Optional(Type.Boolean({ description: 'true for hosts who are on the air' })),
})
export type User = Static<typeof User>

export const capabilityNames = [
  'uploadTracks',
  'editTrackMetadata',
  'moveTrackMode',
  'deleteTracks',
  'artistArts',
  'helperAdmins',
  'adminAccount',
  'ipModeration',
  'editSettings',
  'auditLog',
  'history',
  'jingles',
  'backgroundMusic',
  'phrases',
  'donations',
  'webPush',
] as const

export type Capability = (typeof capabilityNames)[number]

export const Capabilities = Type.Object(
  Object.fromEntries(capabilityNames.map((name) => [name, Type.Boolean()])) as Record<
    Capability,
    ReturnType<typeof Type.Boolean>
  >,
)

export type Capabilities = Record<Capability, boolean>

export const PublicConfig = Type.Object({
  dataProvider: Type.Union([Type.Literal('json'), Type.Literal('sql')]),
  musicSource: Type.Union([Type.Literal('local'), Type.Literal('cloud')]),
  nightMode: Type.Boolean(),
  streamMode: Type.Boolean(),
  streams: Type.Array(Type.Object({ path: Type.String(), ...stream }), {
    description: 'endless streams, the usual one first; empty in sync mode',
  }),
  radioHostsMode: Type.Boolean(),
  allPrivileges: Type.Array(Type.String()),
  timeZone: Type.String(),
  capabilities: Capabilities,
  limits: Type.Object(
    {
      queueAddCooldownS: Type.Integer(),
      queueRemoveCooldownS: Type.Integer(),
      queueSkipCooldownS: Type.Integer(),
      groupInsertCooldownS: Type.Integer(),
      suggestExpiryS: Type.Integer({ description: 'until an unanswered song request expires' }),
    },
    { description: 'seconds; 0 = no limit' },
  ),
  donationInfo: nullable(
    Type.Object({
      provider: Type.String(),
      displayName: Type.String(),
      ...DonationSettings.properties,
      donationRetentionDays: Type.Integer(),
    }),
  ),
})
export type PublicConfig = Static<typeof PublicConfig>
