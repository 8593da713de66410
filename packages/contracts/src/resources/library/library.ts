import { type Static, Type } from 'typebox'
import { nullable } from '../schema.ts'
import { LyricsStatus } from './lyrics.ts'
import { CoverId, Mode, TrackId } from './track.ts'

/** Columns that the library can be sorted by. */
export const LibrarySort = Type.Union([
  Type.Literal('title'),
  Type.Literal('artist'),
  Type.Literal('album'),
  Type.Literal('year'),
  Type.Literal('duration'),
  Type.Literal('mode'),
  Type.Literal('addedAt'),
  Type.Literal('plays'),
  Type.Literal('lastPlayedAt'),
  Type.Literal('lufs'),
])
export type LibrarySort = Static<typeof LibrarySort>

export const LibraryOrder = Type.Union([Type.Literal('asc'), Type.Literal('desc')])
export type LibraryOrder = Static<typeof LibraryOrder>

/** A track in the library of the panel. */
export const LibraryRow = Type.Object({
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
  duration: nullable(Type.Number({ description: 'seconds' })),
  mode: Mode,
  filename: Type.String(),
  lyricsStatus: LyricsStatus,
  hasArt: Type.Boolean({ description: 'its artist has a picture' }),
  cover: nullable(CoverId),
  lufs: nullable(Type.Number({ description: 'loudness; null when not measured' })),
  addedAt: nullable(Type.Number({ description: 'epoch ms of the upload; null when found on disk' })),
  plays: Type.Integer({ description: 'starts, as far as the history goes back' }),
  lastPlayedAt: nullable(Type.Number({ description: 'epoch ms' })),
  lock: Type.Union([Type.Literal('current'), Type.Literal('next'), Type.Null()], {
    description: 'why it cannot be changed now: it plays, or plays next',
  }),
})
export type LibraryRow = Static<typeof LibraryRow>

const YesNo = Type.Object({ yes: Type.Integer(), no: Type.Integer() })

/** Tracks with each value, among those that match all other filters. */
export const LibraryFacets = Type.Object({
  mode: Type.Object({ day: Type.Integer(), night: Type.Integer() }),
  lyricsStatus: Type.Object({ synced: Type.Integer(), plain: Type.Integer(), none: Type.Integer() }),
  hasArt: YesNo,
  isPlayed: YesNo,
  isLocked: YesNo,
  hasLoudness: YesNo,
})
export type LibraryFacets = Static<typeof LibraryFacets>

export const LibraryPage = Type.Object({
  items: Type.Array(LibraryRow),
  total: Type.Integer(),
  offset: Type.Integer(),
  limit: Type.Integer(),
  facets: LibraryFacets,
})

const Seconds = Type.Number({ description: 'seconds from the beginning of the file' })
const CueRange = Type.Object({ cueIn: Seconds, cueOut: nullable(Seconds) })
/** Where the stream begins and ends a track. */
export const CuePoints = Type.Object({
  ok: Type.Literal(true),
  duration: nullable(Type.Number({ description: 'seconds; null when unknown' })),
  cueIn: nullable(Type.Number({ description: 'set by an admin, seconds; null = as measured' })),
  cueOut: nullable(Type.Number({ description: 'set by an admin, seconds; null = as measured' })),
  measured: nullable(CueRange),
  heard: Type.Object(CueRange.properties, {
    description: 'what the stream plays; `cueOut` null = to the end',
  }),
})
