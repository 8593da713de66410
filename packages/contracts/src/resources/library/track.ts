import { type Static, Type } from 'typebox'
import { nullable } from '../schema.ts'

export const Mode = Type.Union([Type.Literal('day'), Type.Literal('night')], {
  description: 'programme mode',
})
export type Mode = Static<typeof Mode>
export const modes: readonly Mode[] = ['day', 'night']

export const TrackId = Type.String({
  description: '`<mode>/<filename>`',
  minLength: 1,
  maxLength: 512,
  examples: ['day/Morning Tide.mp3'],
})

/** Sizes of the images of a cover, pixels. */
export const coverSizes = [96, 256, 512, 1024] as const

export const CoverId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'for `GET /api/covers/:id/:size.webp`',
})

/** The cover in the file of a track. */
export const Cover = Type.Object(
  {
    id: CoverId,
    color: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'the colour that it is remembered by' }),
  },
  { description: 'the front cover in the tags of the file' },
)
export type Cover = Static<typeof Cover>

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

export const OrderType = Type.Union([Type.Literal('donated'), Type.Literal('lastinline'), Type.Null()], {
  description: 'null for entries generated or inserted as a group',
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
  duration: Type.Optional(nullable(Type.Number({ description: 'seconds; in `get_queue` only' }))),
  entryId: Type.Optional(
    Type.String({
      description: 'names the entry wherever it stands; in `get_queue` and `search_queue` only',
    }),
  ),
})
export type QueueItem = Static<typeof QueueItem>

/** An artist record that a change of the library removed. */
export const RemovedArtist = Type.Object({ artist: Type.String(), hasArt: Type.Boolean() })
export type RemovedArtist = Static<typeof RemovedArtist>

export const TrackResult = Type.Object({
  songId: Type.String(),
  ok: Type.Boolean(),
  newId: Type.Optional(TrackId),
  track: Type.Optional(Track),
  error: Type.Optional(Type.String({ description: 'failure code' })),
})
export type TrackResult = Static<typeof TrackResult>

/** The content types under which browsers send MP3. */
export const audioTypes = ['audio/mpeg', 'audio/mp3', 'application/octet-stream'] as const

/** The name of an uploaded file. Uploads are raw bytes and carry their name beside them. */
export const FileName = Type.Object({
  'X-File-Name': Type.String({ description: 'percent-encoded UTF-8', minLength: 1, maxLength: 2_000 }),
})

export const Year = Type.Optional(Type.Union([Type.Null(), Type.Number(), Type.String({ maxLength: 20 })]))

export const TrackIds = Type.Array(Type.String({ maxLength: 512 }), { maxItems: 20_000 })

/** Metadata read from an uploaded file, to be checked and sent back with the commit. */
const UploadedMetadata = Type.Object({
  artist: Type.String(),
  title: Type.String(),
  album: Type.String(),
  year: Type.Union([Type.Number(), Type.Null()]),
  duration: Type.Union([Type.Number({ description: 'seconds' }), Type.Null()]),
  mode: Mode,
  filename: Type.String(),
  storageKey: Type.String(),
})

export const Uploaded = Type.Object({
  ok: Type.Literal(true),
  storageKey: Type.String(),
  metadata: UploadedMetadata,
})

export const TrackResults = Type.Object({
  ok: Type.Literal(true),
  results: Type.Array(TrackResult),
  removedArtists: Type.Array(RemovedArtist),
})

export const lockFailures = [
  'TRACK_NOT_FOUND',
  'TRACK_LOCKED',
  'AIR_UNAVAILABLE',
  'JOBS_UNAVAILABLE',
] as const
