import { Type } from 'typebox'
import {
  CUE_POINTS_EXAMPLE,
  DONE_EXAMPLE,
  LIBRARY_PAGE_EXAMPLE,
  LYRICS_EXAMPLE,
  TRACK_CHANGE_EXAMPLE,
  TRACK_EXAMPLE,
  TRACK_ID,
} from '../../examples/tracks.ts'
import { Localized } from '../../localized.ts'
import { AuditPage } from '../../resources/admin.ts'
import { CuePoints, LibraryRow } from '../../resources/library/library.ts'
import { LyricsEntry, LyricsInput } from '../../resources/library/lyrics.ts'
import {
  lockFailures,
  Mode,
  RemovedArtist,
  Track,
  TrackId,
  TrackIds,
  TrackResults,
  Year,
} from '../../resources/library/track.ts'
import { nullable, Offset, Text } from '../../resources/schema.ts'
import { bytes, defineRoute, needs, needsOneOf, perSection } from '../../route.ts'

export const getTrack = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor',
  summary: 'Returns a track as the library lists it',
  access: 'admin',
  query: Type.Object({ songId: TrackId }),
  reply: Type.Object({ ok: Type.Literal(true), track: LibraryRow }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: { query: { songId: TRACK_ID }, reply: { ok: true, track: LIBRARY_PAGE_EXAMPLE.items[0]! } },
})

export const getPeaks = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/peaks',
  summary:
    'Returns the waveform of a track; while it is measured, status 202 with `peaks` null: ask again in some seconds',
  access: 'admin',
  query: Type.Object({ songId: TrackId }),
  headers: Type.Object({
    'If-None-Match': Type.Optional(Type.String({ description: 'the `ETag` of a reply: 304 while it holds' })),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    duration: nullable(Type.Number({ description: 'seconds; null when unknown' })),
    peaks: nullable(
      Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
        description:
          'the highest sample of each of 800 equal parts, 255 = full scale; empty when the file has no sound that can be measured',
      }),
    ),
  }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: {
    query: { songId: TRACK_ID },
    reply: { ok: true, duration: 184.3, peaks: [0, 12, 96, 203, 188, 40] },
  },
})

export const getCuePoints = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/cue-points',
  summary: 'Returns the part of a track that the stream plays: as measured, and as set by an admin',
  access: 'admin',
  query: Type.Object({ songId: TrackId }),
  reply: CuePoints,
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: { query: { songId: TRACK_ID }, reply: CUE_POINTS_EXAMPLE },
})

export const setCuePoints = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/cue-points',
  summary: 'Sets or clears (null) the cue points of a track, for the stream, from its next start on',
  access: needs('editor_meta'),
  capability: 'editTrackMetadata',
  body: Type.Object({
    songId: Type.Optional(TrackId),
    cueIn: Type.Optional(nullable(Type.Number({ description: 'seconds; not sent = as it is' }))),
    cueOut: Type.Optional(nullable(Type.Number({ description: 'seconds; not sent = as it is' }))),
  }),
  reply: Type.Object({ ...CuePoints.properties, message: Localized }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: {
    body: { songId: TRACK_ID, cueIn: 2.5, cueOut: null },
    reply: { ...CUE_POINTS_EXAMPLE, message: DONE_EXAMPLE },
  },
})

export const getTrackHistory = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/history',
  summary:
    'Returns the changes of a track from the audit log, newest first, under its earlier names as well. Tracks of one name share them',
  access: needsOneOf('editor_meta', 'editor_lyrics'),
  capability: 'auditLog',
  query: Type.Object({
    songId: TrackId,
    limit: Type.Integer({ minimum: 1, default: 30, description: 'at most 200' }),
    offset: Offset,
  }),
  reply: AuditPage,
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: {
    query: { songId: TRACK_ID, limit: 30 },
    reply: { ok: true, entries: [TRACK_CHANGE_EXAMPLE], total: 1, offset: 0, limit: 30 },
  },
})

export const saveTrack = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/save',
  summary:
    'Saves the changed parts of a track: tags, lyrics, offset. The id may change, so continue with the returned one',
  access: perSection('editor_meta', 'editor_lyrics'),
  capability: 'editTrackMetadata',
  body: Type.Object({
    songId: Type.Optional(Text),
    metadata: Type.Optional(
      Type.Object({
        title: Type.Optional(Text),
        artist: Type.Optional(Text),
        album: Type.Optional(Text),
        year: Year,
      }),
    ),
    metadataChanged: Type.Boolean({ default: false }),
    lyricsEntry: Type.Optional(LyricsInput),
    lyricsChanged: Type.Boolean({ default: false }),
    offset: Type.Optional(Type.Number({ minimum: -86_400, maximum: 86_400, description: 'seconds' })),
    offsetChanged: Type.Boolean({ default: false }),
    auditContext: Type.Optional(
      Type.Object({
        source: Type.Optional(Type.String({ maxLength: 100 })),
        force: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    track: Track,
    entry: LyricsEntry,
    offset: Type.Number(),
    message: Localized,
  }),
  failures: ['BAD_REQUEST', ...lockFailures, 'STORAGE_WRITE_FAILED'],
  example: {
    body: {
      songId: TRACK_ID,
      metadata: { title: 'Morning Tide', artist: 'Hilda', album: 'Shores', year: 2024 },
      metadataChanged: true,
      lyricsChanged: false,
      offsetChanged: false,
    },
    reply: { ok: true, track: TRACK_EXAMPLE, entry: LYRICS_EXAMPLE, offset: 0, message: DONE_EXAMPLE },
  },
})

export const moveTrack = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/move-mode',
  summary: 'Moves a track to the other mode; its id changes',
  access: needs('editor_meta'),
  capability: 'moveTrackMode',
  body: Type.Object({ songId: Type.Optional(Text), targetMode: Mode }),
  reply: Type.Object({
    ok: Type.Literal(true),
    track: Type.Object({
      ...Track.properties,
      removedFromQueue: Type.Integer(),
      removedCurrent: Type.Literal(false),
    }),
    removedArtists: Type.Array(RemovedArtist),
    message: Localized,
  }),
  failures: ['BAD_REQUEST', ...lockFailures, 'FILENAME_EXISTS', 'STORAGE_WRITE_FAILED'],
  example: {
    body: { songId: TRACK_ID, targetMode: 'night' },
    reply: {
      ok: true,
      track: {
        ...TRACK_EXAMPLE,
        id: 'night/Morning Tide.mp3',
        mode: 'night',
        removedFromQueue: 0,
        removedCurrent: false,
      },
      removedArtists: [],
      message: DONE_EXAMPLE,
    },
  },
})

export const deleteTrack = defineRoute({
  method: 'DELETE',
  path: '/api/admin/song-editor',
  summary: 'Deletes a track from the library and storage, unless it is playing or next',
  access: needs('editor_meta'),
  capability: 'deleteTracks',
  query: Type.Object({ songId: Type.Optional(Text) }),
  body: Type.Optional(Type.Object({ songId: Type.Optional(Text) })),
  reply: Type.Object({
    ok: Type.Literal(true),
    removedFromQueue: Type.Integer(),
    removedCurrent: Type.Literal(false),
    removedArtists: Type.Array(RemovedArtist),
    message: Localized,
  }),
  failures: ['BAD_REQUEST', ...lockFailures, 'DELETE_QUOTA_EXCEEDED'],
  example: {
    body: { songId: TRACK_ID },
    reply: {
      ok: true,
      removedFromQueue: 1,
      removedCurrent: false,
      removedArtists: [],
      message: DONE_EXAMPLE,
    },
  },
})

export const batchMove = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/batch-move',
  summary: 'Moves several tracks to the other mode; each gets a new id',
  access: needs('editor_meta'),
  capability: 'moveTrackMode',
  body: Type.Object({ songIds: TrackIds, targetMode: Mode }),
  reply: TrackResults,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [TRACK_ID], targetMode: 'night' },
    reply: {
      ok: true,
      results: [{ songId: TRACK_ID, ok: true, newId: 'night/Morning Tide.mp3' }],
      removedArtists: [],
    },
  },
})

export const batchDelete = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/batch-delete',
  summary: 'Deletes several tracks; refuses those that are playing or next',
  access: needs('editor_meta'),
  capability: 'deleteTracks',
  body: Type.Object({ songIds: TrackIds }),
  reply: TrackResults,
  failures: ['BAD_REQUEST', 'DELETE_QUOTA_EXCEEDED', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [TRACK_ID, 'day/On air.mp3'] },
    reply: {
      ok: true,
      results: [
        { songId: TRACK_ID, ok: true },
        { songId: 'day/On air.mp3', ok: false, error: 'TRACK_LOCKED' },
      ],
      removedArtists: [{ artist: 'hilda', hasArt: false }],
    },
  },
})

export const getDeleteQuota = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/delete-quota',
  summary: 'Returns how many tracks the caller may still delete today; null = any number',
  access: needs('editor_meta'),
  capability: 'deleteTracks',
  reply: Type.Object({
    ok: Type.Literal(true),
    quota: nullable(Type.Object({ remaining: Type.Integer(), limit: Type.Integer() })),
  }),
  failures: [],
  example: { reply: { ok: true, quota: { remaining: 28, limit: 30 } } },
})

export const downloadTrack = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/download',
  summary: 'Downloads the stored MP3',
  access: needs('editor_meta'),
  query: Type.Object({ songId: TrackId }),
  reply: bytes('audio/mpeg', 'The file, named "Artist - Title.mp3"'),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: { query: { songId: TRACK_ID } },
})
