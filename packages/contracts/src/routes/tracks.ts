import { Type } from 'typebox'
import { LyricsInput, LyricsStatus, RemovedArtist, TrackResult } from '../admin-resources.ts'
import { Localized } from '../localized.ts'
import { LyricsEntry, Mode, Track, TrackId } from '../resources.ts'
import { bytes, defineRoute, needs, needsOneOf, perSection } from '../route.ts'
import { audioTypes, FileName } from './uploads.ts'

const Text = Type.String({ maxLength: 1_000 })
const Year = Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 20 }), Type.Null()]))
const SongIds = Type.Array(Type.String({ maxLength: 512 }), { maxItems: 20_000 })
const Link = Type.String({ maxLength: 2_000 })

/** What is known of an uploaded file, to be looked over and sent back with the commit. */
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
const Uploaded = Type.Object({
  ok: Type.Literal(true),
  storageKey: Type.String(),
  metadata: UploadedMetadata,
})
const Results = Type.Object({
  ok: Type.Literal(true),
  results: Type.Array(TrackResult),
  removedArtists: Type.Array(RemovedArtist),
})

const ID = 'day/Morning Tide.mp3'
const FACTS = { artist: 'Hilda', title: 'Morning Tide', album: 'Shores', year: 2024, duration: 184.3 }
const TRACK = { id: ID, ...FACTS, mode: 'day', filename: 'Morning Tide.mp3', storageKey: ID }
const METADATA = { ...FACTS, mode: 'day', filename: 'Morning Tide.mp3', storageKey: ID }
const LYRICS = { synced: true, lines: [{ time: 12.5, text: 'The water is quiet' }] }
const message = { uk: 'Готово', en: 'Done' }
const ofLocks = ['TRACK_NOT_FOUND', 'TRACK_LOCKED', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'] as const

export const listSongs = defineRoute({
  method: 'GET',
  path: '/api/admin/songs',
  summary: 'The tracks of a mode, by artist, with the state of their lyrics',
  access: 'admin',
  query: Type.Object({
    mode: Type.Optional(Type.String({ description: '`day` or `night`; anything else = the mode on air' })),
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
        id: ID,
        title: 'Morning Tide',
        artist: 'Hilda',
        filename: 'Morning Tide.mp3',
        lyricsStatus: 'synced',
      },
    ],
  },
})

export const checkDuplicate = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-check-duplicate',
  summary: 'Whether a track of this id exists',
  access: needs('upload_songs'),
  body: Type.Object({ trackId: Type.Optional(Text) }),
  reply: Type.Object({ ok: Type.Literal(true), exists: Type.Boolean() }),
  failures: ['BAD_REQUEST'],
  example: { body: { trackId: ID }, reply: { ok: true, exists: false } },
})

export const uploadSongFile = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-file',
  summary: 'Step 1: receives an MP3 of at most 80 MB; it takes no part in the broadcast until its commit',
  access: needs('upload_songs'),
  capability: 'uploadTracks',
  query: Type.Object({ mode: Type.Optional(Type.String({ description: '`day` (default) or `night`' })) }),
  headers: FileName,
  body: { upload: audioTypes, maxBytes: 80 * 1024 * 1024, description: 'MP3 bytes' },
  reply: Uploaded,
  failures: ['BAD_REQUEST', 'STORAGE_WRITE_FAILED', 'FILENAME_EXISTS'],
  example: { query: { mode: 'day' }, reply: { ok: true, storageKey: ID, metadata: METADATA } },
})

export const uploadSongLyrics = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-lyrics',
  summary: 'Step 2: asks the lyrics service; stores nothing',
  access: needsOneOf('upload_songs', 'editor_lyrics'),
  body: Type.Object({
    title: Type.Optional(Text),
    artist: Type.Optional(Text),
    album: Type.Optional(Text),
    duration: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    lyricsEntry: LyricsEntry,
    lyricsStatus: LyricsStatus,
    lyricsFormat: Type.Union([Type.Literal('synced'), Type.Literal('plain'), Type.Null()]),
    message: Localized,
  }),
  failures: ['BAD_REQUEST'],
  example: {
    body: { title: 'Morning Tide', artist: 'Hilda', duration: 184 },
    reply: { ok: true, lyricsEntry: LYRICS, lyricsStatus: 'synced', lyricsFormat: 'synced', message },
  },
})

export const commitSong = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-commit',
  summary: 'Step 3: the uploaded file becomes a track',
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
    body: { metadata: METADATA, lyricsEntry: LYRICS },
    reply: {
      ok: true,
      track: TRACK,
      lyricsStatus: 'synced',
      lyricsFormat: 'synced',
      lyricsMessage: message,
      message,
    },
  },
})

export const uploadBatchDelete = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-batch-delete',
  summary: 'Deletes files that wait for their commit and tracks that the caller has just uploaded',
  access: needs('upload_songs'),
  capability: 'deleteTracks',
  body: Type.Object({ songIds: SongIds }),
  reply: Results,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [ID] },
    reply: { ok: true, results: [{ songId: ID, ok: true }], removedArtists: [] },
  },
})

export const uploadBatchMove = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-batch-move',
  summary: 'Moves tracks that the caller has just uploaded to the other mode',
  access: needs('upload_songs'),
  capability: 'moveTrackMode',
  body: Type.Object({ songIds: SongIds, targetMode: Mode }),
  reply: Results,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [ID], targetMode: 'night' },
    reply: {
      ok: true,
      results: [
        {
          songId: ID,
          ok: true,
          newId: 'night/Morning Tide.mp3',
          track: {
            ...TRACK,
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

export const deleteSong = defineRoute({
  method: 'DELETE',
  path: '/api/admin/song-editor',
  summary: 'Deletes a track from library and storage, unless it is playing or next',
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
  failures: ['BAD_REQUEST', ...ofLocks, 'DELETE_QUOTA_EXCEEDED'],
  example: {
    body: { songId: ID },
    reply: { ok: true, removedFromQueue: 1, removedCurrent: false, removedArtists: [], message },
  },
})

export const batchDelete = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/batch-delete',
  summary: 'Deletes several tracks; those that are playing or next are passed over',
  access: needs('editor_meta'),
  capability: 'deleteTracks',
  body: Type.Object({ songIds: SongIds }),
  reply: Results,
  failures: ['BAD_REQUEST', 'DELETE_QUOTA_EXCEEDED', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: {
    body: { songIds: [ID, 'day/On air.mp3'] },
    reply: {
      ok: true,
      results: [
        { songId: ID, ok: true },
        { songId: 'day/On air.mp3', ok: false, error: 'TRACK_LOCKED' },
      ],
      removedArtists: [{ artist: 'hilda', hasArt: false }],
    },
  },
})

export const batchMove = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/batch-move',
  summary: 'Moves several tracks to the other mode; each gets a new id',
  access: needs('editor_meta'),
  capability: 'moveTrackMode',
  body: Type.Object({ songIds: SongIds, targetMode: Mode }),
  reply: Results,
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: uploadBatchMove.example,
})

export const downloadSong = defineRoute({
  method: 'GET',
  path: '/api/admin/song-editor/download',
  summary: 'The stored MP3 as a download',
  access: needs('editor_meta'),
  query: Type.Object({ songId: TrackId }),
  reply: bytes('audio/mpeg', 'The file, named "Artist - Title.mp3"'),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
})

export const moveSong = defineRoute({
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
  failures: ['BAD_REQUEST', ...ofLocks, 'FILENAME_EXISTS', 'STORAGE_WRITE_FAILED'],
  example: {
    body: { songId: ID, targetMode: 'night' },
    reply: {
      ok: true,
      track: {
        ...TRACK,
        id: 'night/Morning Tide.mp3',
        mode: 'night',
        removedFromQueue: 0,
        removedCurrent: false,
      },
      removedArtists: [],
      message,
    },
  },
})

export const saveSong = defineRoute({
  method: 'POST',
  path: '/api/admin/song-editor/save',
  summary: 'Saves what changed of a track: tags, lyrics, offset. Go on with the id in the answer',
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
  failures: ['BAD_REQUEST', ...ofLocks, 'STORAGE_WRITE_FAILED'],
  example: {
    body: {
      songId: ID,
      metadata: { title: 'Morning Tide', artist: 'Hilda', album: 'Shores', year: 2024 },
      metadataChanged: true,
      lyricsChanged: false,
      offsetChanged: false,
    },
    reply: { ok: true, track: TRACK, entry: LYRICS, offset: 0, message },
  },
})

export const uploadSongUrl = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-url',
  summary: 'Step 1 from a video link: downloads the sound and re-encodes it',
  access: needs('upload_songs'),
  capability: 'uploadTracks',
  body: Type.Object({
    url: Type.Optional(Link),
    mode: Type.Optional(Mode),
    lang: Type.Optional(Type.String()),
  }),
  reply: Uploaded,
  failures: ['BAD_REQUEST', 'FILENAME_EXISTS', 'TOOL_UNAVAILABLE'],
  example: {
    body: { url: 'https://youtu.be/dQw4w9WgXcQ', mode: 'day' },
    reply: { ok: true, storageKey: ID, metadata: METADATA },
  },
})

export const getVideoTracks = defineRoute({
  method: 'POST',
  path: '/api/admin/video-track-info',
  summary: 'The tracks behind a video or playlist link',
  access: needs('upload_songs'),
  body: Type.Object({ url: Type.Optional(Link), lang: Type.Optional(Type.String()) }),
  reply: Type.Object({
    ok: Type.Literal(true),
    tracks: Type.Array(Type.Object({ url: Type.String(), title: Type.String() })),
    total: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  failures: ['BAD_REQUEST', 'TOOL_UNAVAILABLE'],
  example: {
    body: { url: 'https://youtu.be/dQw4w9WgXcQ', lang: 'en' },
    reply: {
      ok: true,
      tracks: [{ url: 'https://youtu.be/dQw4w9WgXcQ', title: 'A song' }],
      total: 1,
      truncated: false,
    },
  },
})

export const putVideoCookies = defineRoute({
  method: 'POST',
  path: '/api/admin/video-cookies',
  summary: 'Cookies of the video site, for age-restricted videos; kept for a day',
  access: needs('upload_songs'),
  body: Type.Object({ cookies: Type.Optional(Type.String({ maxLength: 500_000 })) }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['BAD_REQUEST', 'AIR_UNAVAILABLE'],
  example: {
    body: { cookies: '.youtube.com\tTRUE\t/\tTRUE\t1790000000\tname\tvalue' },
    reply: { ok: true },
  },
})

export const getVideoStatus = defineRoute({
  method: 'GET',
  path: '/api/admin/videodown-status',
  summary: 'Whether songs can be taken from video links here',
  access: needs('upload_songs'),
  reply: Type.Object({
    ok: Type.Literal(true),
    available: Type.Boolean(),
    videodownAvailable: Type.Boolean(),
    ffmpegAvailable: Type.Boolean(),
  }),
  failures: [],
  example: { reply: { ok: true, available: false, videodownAvailable: false, ffmpegAvailable: true } },
})
