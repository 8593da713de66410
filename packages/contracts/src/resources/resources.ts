import { type Static, type TSchema, Type } from 'typebox'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Mode = Type.Union([Type.Literal('day'), Type.Literal('night')], {
  description: 'Programme mode',
})
export type Mode = Static<typeof Mode>

export const TrackId = Type.String({
  description: '`<mode>/<filename>`',
  minLength: 1,
  maxLength: 512,
  examples: ['day/Morning Tide.mp3'],
})

/** A library item as listeners see it. */
export const LibraryItem = Type.Object({ id: TrackId, title: Type.String(), artist: Type.String() })
export type LibraryItem = Static<typeof LibraryItem>

/** A library item with all its facts. */
export const Track = Type.Object({
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
  duration: nullable(Type.Number({ description: 'seconds; null when unknown' })),
  mode: Mode,
  filename: Type.String(),
  storageKey: Type.String(),
})
export type Track = Static<typeof Track>

export const HistoryItem = Type.Object({
  id: Type.Integer(),
  trackId: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  mode: Mode,
  playedAt: Type.Number({ description: 'epoch ms at which the track started' }),
})
export type HistoryItem = Static<typeof HistoryItem>

export const LyricsEntry = Type.Object({
  synced: Type.Boolean(),
  lines: Type.Array(Type.Object({ time: Type.Number(), text: Type.String() })),
  notFound: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  fetchedAt: Type.Optional(Type.Number({ description: 'epoch ms' })),
})
export type LyricsEntry = Static<typeof LyricsEntry>

export const OrderType = Type.Union([Type.Literal('donated'), Type.Literal('lastinline'), Type.Null()], {
  description: 'null = generated or inserted as a group',
})
export type OrderType = Static<typeof OrderType>

export const QueueItem = Type.Object({
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  orderType: OrderType,
  album: Type.Optional(Type.String()),
  year: Type.Optional(nullable(Type.Number())),
  tier: Type.Optional(nullable(Type.Integer())),
})
export type QueueItem = Static<typeof QueueItem>

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

/** What the air looks like at `serverTimeMs`: the payload of `sync`. */
export const RadioState = Type.Object({
  track: nullable(TrackId),
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
  orderType: OrderType,
  tier: nullable(Type.Integer()),
  duration: Type.Number({ description: 'seconds; 0 when unknown' }),
  seek: Type.Number({ description: 'seconds at serverTimeMs' }),
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
  gainDb: Type.Optional(
    Type.Number({ description: 'sync mode: dB by which the file is played louder; absent = as it is' }),
  ),
})
export type RadioState = Static<typeof RadioState>

/** One connected socket, as the others see it. */
export const User = Type.Object({
  name: Type.Object({ uk: Type.String(), en: Type.String() }),
  img: Type.String({ description: 'file name for GET /api/avatar/:filename' }),
  color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
  isAdmin: Type.Optional(Type.Boolean()),
  isSuperAdmin: Type.Optional(Type.Boolean()),
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
] as const
export type Capability = (typeof capabilityNames)[number]

export const Capabilities = Type.Object(
  Object.fromEntries(capabilityNames.map((name) => [name, Type.Boolean()])) as Record<
    Capability,
    ReturnType<typeof Type.Boolean>
  >,
)
export type Capabilities = Record<Capability, boolean>

/** What a song costs, and when it can be paid for. Prices are in the units of the currency. */
export const DonationSettings = Type.Object({
  currency: Type.String({ description: 'three capital letters' }),
  pricingMode: Type.Union([Type.Literal('fixed'), Type.Literal('calculated')]),
  fixedPrice: Type.Number(),
  pricePerSecond: Type.Number(),
  tiersEnabled: Type.Boolean(),
  tierCeiling: Type.Integer({ minimum: 2, maximum: 10 }),
  blockDonationsWhileChatting: Type.Boolean(),
})
export type DonationSettings = Static<typeof DonationSettings>

export const DonationStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('paid'),
  Type.Literal('paid_unqueued'),
  Type.Literal('failed'),
  Type.Literal('expired'),
])
export type DonationStatus = Static<typeof DonationStatus>

export const PublicConfig = Type.Object({
  dataProvider: Type.Union([Type.Literal('json'), Type.Literal('sql')]),
  musicSource: Type.Union([Type.Literal('local'), Type.Literal('cloud')]),
  nightMode: Type.Boolean(),
  streamMode: Type.Boolean(),
  radioHostsMode: Type.Boolean(),
  allPrivileges: Type.Array(Type.String()),
  timeZone: Type.String(),
  capabilities: Capabilities,
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
