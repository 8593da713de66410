import { Type } from 'typebox'
import {
  DONE_EXAMPLE,
  LYRICS_EXAMPLE,
  METADATA_EXAMPLE,
  TRACK_EXAMPLE,
  TRACK_ID,
} from '../../examples/tracks.ts'
import { Localized } from '../../localized.ts'
import { LyricsInput, LyricsStatus } from '../../resources/library/lyrics.ts'
import {
  audioTypes,
  FileName,
  Mode,
  Track,
  TrackIds,
  TrackResults,
  Uploaded,
  Year,
} from '../../resources/library/track.ts'
import { Text } from '../../resources/schema.ts'
import { defineRoute, needs } from '../../route.ts'

export const checkDuplicate = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-check-duplicate',
  summary: 'Checks whether a track with this id exists',
  access: needs('upload_songs'),
  body: Type.Object({ trackId: Type.Optional(Text) }),
  reply: Type.Object({ ok: Type.Literal(true), exists: Type.Boolean() }),
  failures: ['BAD_REQUEST'],
  example: { body: { trackId: TRACK_ID }, reply: { ok: true, exists: false } },
})

export const uploadTrackFile = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-file',
  summary: 'Step 1: uploads an MP3 of at most 80 MB, which stays off the air until it is committed',
  access: needs('upload_songs'),
  capability: 'uploadTracks',
  query: Type.Object({ mode: Type.Optional(Type.String({ description: '`day` (default) or `night`' })) }),
  headers: FileName,
  body: { upload: audioTypes, kind: 'mp3', maxBytes: 80 * 1024 * 1024, description: 'MP3 bytes' },
  reply: Uploaded,
  failures: ['BAD_REQUEST', 'STORAGE_WRITE_FAILED', 'FILENAME_EXISTS'],
  example: { query: { mode: 'day' }, reply: { ok: true, storageKey: TRACK_ID, metadata: METADATA_EXAMPLE } },
})

export const commitTrack = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-commit',
  summary: 'Step 3: commits the uploaded file as a track',
  access: needs('upload_songs'),
  capability: 'uploadTracks',
  body: Type.Object({
    metadata: Type.Optional(
      Type.Object({
        filename: Type.Optional(Text),
        mode: Type.Optional(Text),
        title: Type.Optional(Text),
        artist: Type.Optional(Text),
        album: Type.Optional(Text),
        year: Year,
      }),
    ),
    lyricsEntry: Type.Optional(LyricsInput),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    track: Track,
    lyricsStatus: LyricsStatus,
    lyricsFormat: Type.Union([Type.Literal('synced'), Type.Literal('plain'), Type.Null()]),
    lyricsMessage: Localized,
    message: Localized,
  }),
  failures: ['BAD_REQUEST', 'STORAGE_WRITE_FAILED', 'FILENAME_EXISTS'],
  example: {
    body: { metadata: METADATA_EXAMPLE, lyricsEntry: LYRICS_EXAMPLE },
    reply: {
      ok: true,
      track: TRACK_EXAMPLE,
      lyricsStatus: 'synced',
      lyricsFormat: 'synced',
      lyricsMessage: DONE_EXAMPLE,
      message: DONE_EXAMPLE,
    },
  },
})

export const uploadBatchDelete = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-batch-delete',
  summary: 'Deletes uncommitted files and tracks that the caller has just uploaded',
  access: needs('upload_songs'),
  capability: 'deleteTracks',
  body: Type.Object({ songIds: TrackIds }),
  reply: TrackResults,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [TRACK_ID] },
    reply: { ok: true, results: [{ songId: TRACK_ID, ok: true }], removedArtists: [] },
  },
})

export const uploadBatchMove = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-batch-move',
  summary: 'Moves tracks that the caller has just uploaded to the other mode',
  access: needs('upload_songs'),
  capability: 'moveTrackMode',
  body: Type.Object({ songIds: TrackIds, targetMode: Mode }),
  reply: TrackResults,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [TRACK_ID], targetMode: 'night' },
    reply: {
      ok: true,
      results: [
        {
          songId: TRACK_ID,
          ok: true,
          newId: 'night/Morning Tide.mp3',
          track: {
            ...TRACK_EXAMPLE,
            id: 'night/Morning Tide.mp3',
            mode: 'night',
            storageKey: 'night/Morning Tide.mp3',
          },
        },
      ],
      removedArtists: [{ artist: 'hilda', hasArt: false }],
    },
  },
})
