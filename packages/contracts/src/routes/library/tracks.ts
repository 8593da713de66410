import { Type } from 'typebox'
import { LIBRARY_PAGE_EXAMPLE, TRACK_ID } from '../../examples/tracks.ts'
import { LibraryOrder, LibraryPage, LibrarySort } from '../../resources/library/library.ts'
import { LyricsStatus } from '../../resources/library/lyrics.ts'
import { Mode, TrackId } from '../../resources/library/track.ts'
import { Offset } from '../../resources/schema.ts'
import { defineRoute } from '../../route.ts'

export const listTracks = defineRoute({
  method: 'GET',
  path: '/api/admin/songs',
  summary: 'Returns the tracks of a mode, ordered by artist, with the status of their lyrics',
  access: 'admin',
  query: Type.Object({
    mode: Type.Optional(
      Type.String({ description: '`day` or `night`; anything else means the mode on air' }),
    ),
  }),
  reply: Type.Array(
    Type.Object({
      id: TrackId,
      title: Type.String(),
      artist: Type.String(),
      filename: Type.String(),
      lyricsStatus: LyricsStatus,
    }),
  ),
  failures: [],
  example: {
    query: { mode: 'day' },
    reply: [
      {
        id: TRACK_ID,
        title: 'Morning Tide',
        artist: 'Hilda',
        filename: 'Morning Tide.mp3',
        lyricsStatus: 'synced',
      },
    ],
  },
})

const LibraryFilter = {
  q: Type.Optional(Type.String({ maxLength: 300, description: 'words of artist and title' })),
  mode: Type.Optional(Mode),
  lyricsStatus: Type.Optional(LyricsStatus),
  hasArt: Type.Optional(Type.Boolean({ description: 'whether its artist has a picture' })),
  isPlayed: Type.Optional(Type.Boolean({ description: 'whether the history knows of it' })),
  isLocked: Type.Optional(Type.Boolean({ description: 'whether it plays, or plays next' })),
  hasLoudness: Type.Optional(Type.Boolean({ description: 'whether its loudness is measured' })),
  sort: Type.Optional(LibrarySort),
  order: Type.Optional(LibraryOrder),
}

export const pageTracks = defineRoute({
  method: 'GET',
  path: '/api/admin/songs/page',
  summary: 'Returns a page of the library of both modes, filtered and sorted, with the counts of each filter',
  access: 'admin',
  query: Type.Object({
    ...LibraryFilter,
    offset: Offset,
    limit: Type.Integer({ minimum: 1, default: 50, description: 'at most 200' }),
  }),
  reply: LibraryPage,
  failures: ['BAD_REQUEST'],
  example: { query: { q: 'tide', sort: 'plays', order: 'desc', limit: 50 }, reply: LIBRARY_PAGE_EXAMPLE },
})

export const listTrackIds = defineRoute({
  method: 'GET',
  path: '/api/admin/songs/ids',
  summary: 'Returns the ids of the tracks that a page of the library would have, to act on all of them',
  access: 'admin',
  query: Type.Object({
    ...LibraryFilter,
    offset: Offset,
    limit: Type.Integer({
      minimum: 1,
      default: 20_000,
      description: 'at most 20,000, as many as a batch takes',
    }),
  }),
  reply: Type.Object({ items: Type.Array(TrackId), total: Type.Integer() }),
  failures: ['BAD_REQUEST'],
  example: { query: { lyricsStatus: 'synced' }, reply: { items: [TRACK_ID], total: 1 } },
})
