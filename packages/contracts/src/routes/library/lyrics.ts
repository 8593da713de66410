import { Type } from 'typebox'
import { Localized } from '../../localized.ts'
import { LyricsBatchResult, LyricsEntry, LyricsInput, LyricsStatus } from '../../resources/library/lyrics.ts'
import { Mode, TrackId } from '../../resources/library/track.ts'
import { defineRoute, needs, needsOneOf } from '../../route.ts'

const Text = Type.String({ maxLength: 1_000 })
const TrackName = Type.Object({ title: Type.Optional(Text), artist: Type.Optional(Text) })
const access = needsOneOf('editor_lyrics', 'editor_meta')
const KEY = 'hilda||morning tide'
const ID = 'day/Morning Tide.mp3'
const LYRICS = { synced: true, lines: [{ time: 12.5, text: 'The water is quiet' }] }

export const listTracksWithLyrics = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/songs',
  summary: 'Returns all tracks with the status of their lyrics, ordered by artist and title',
  access,
  reply: Type.Object({
    items: Type.Array(
      Type.Object({
        id: TrackId,
        key: Type.String(),
        artist: Type.String(),
        title: Type.String(),
        album: Type.String(),
        year: Type.Union([Type.Number(), Type.Null()]),
        mode: Mode,
        filename: Type.String(),
        status: LyricsStatus,
      }),
    ),
  }),
  failures: [],
  example: {
    reply: {
      items: [
        {
          id: ID,
          key: KEY,
          artist: 'Hilda',
          title: 'Morning Tide',
          album: 'Shores',
          year: 2024,
          mode: 'day',
          filename: 'Morning Tide.mp3',
          status: 'synced',
        },
      ],
    },
  },
})

export const getOffsets = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/offsets',
  summary: 'Returns all non-zero offsets in seconds, keyed by `artist||title`',
  access,
  reply: Type.Record(Type.String(), Type.Number()),
  failures: [],
  example: { reply: { [KEY]: -0.5 } },
})

export const getLyricsIndex = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/cache-index',
  summary: 'Lists the stored lyrics without their text',
  access,
  reply: Type.Object({
    items: Type.Array(
      Type.Object({
        key: Type.String(),
        artist: Type.String(),
        title: Type.String(),
        status: LyricsStatus,
      }),
    ),
  }),
  failures: [],
  example: { reply: { items: [{ key: KEY, artist: 'hilda', title: 'morning tide', status: 'synced' }] } },
})

export const getLyricsEntry = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/cache-entry',
  summary: 'Returns the lyrics of a track (`songId`) or a song (`title` and `artist`)',
  access,
  query: Type.Object({ songId: Type.Optional(Text), ...TrackName.properties }),
  reply: Type.Object({
    songId: Type.Union([Type.String(), Type.Null()]),
    key: Type.String(),
    offset: Type.Number(),
    entry: LyricsEntry,
  }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: { query: { songId: ID }, reply: { songId: ID, key: KEY, offset: 0, entry: LYRICS } },
})

export const getAllLyrics = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/cache-full',
  summary: 'Returns all lyrics in one reply, which can be large',
  access,
  reply: Type.Record(Type.String(), LyricsEntry),
  failures: [],
  example: { reply: { [KEY]: LYRICS } },
})

export const putLyrics = defineRoute({
  method: 'PUT',
  path: '/api/admin/lyrics/cache',
  summary: 'Replaces the lyrics of a song',
  access,
  body: Type.Object({ ...TrackName.properties, entry: Type.Optional(LyricsInput) }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['BAD_REQUEST'],
  example: { body: { title: 'Morning Tide', artist: 'Hilda', entry: LYRICS }, reply: { ok: true } },
})

export const deleteLyrics = defineRoute({
  method: 'DELETE',
  path: '/api/admin/lyrics/cache',
  summary: 'Deletes the stored lyrics of a song; the next request looks them up again',
  access,
  query: TrackName,
  reply: Type.Object({ ok: Type.Literal(true), existed: Type.Boolean() }),
  failures: ['BAD_REQUEST'],
  example: { query: { title: 'Morning Tide', artist: 'Hilda' }, reply: { ok: true, existed: true } },
})

export const getAudioPreview = defineRoute({
  method: 'GET',
  path: '/api/admin/lyrics/audio-preview',
  summary: 'Returns a URL of the audio of a song, valid for at least 10 minutes',
  access,
  query: TrackName,
  reply: Type.Object({ url: Type.String() }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND', 'STORAGE_URL_FAILED'],
  example: {
    query: { title: 'Morning Tide', artist: 'Hilda' },
    reply: { url: 'https://radio.example/api/audio/stream/admin?track=day%2FMorning+Tide.mp3&adminToken=…' },
  },
})

export const startLyricsBatch = defineRoute({
  method: 'POST',
  path: '/api/admin/jobs/lyrics-batch',
  summary:
    'Looks up the lyrics of several tracks in the background; stores better ones only, or with `force` any that are found',
  access: needs('editor_lyrics'),
  body: Type.Object({
    songIds: Type.Array(Type.String({ maxLength: 512 }), { minItems: 1, maxItems: 20_000 }),
    force: Type.Boolean({ default: false }),
  }),
  reply: Type.Object({ ok: Type.Literal(true), jobId: Type.String() }),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE', 'JOBS_UNAVAILABLE'],
  example: { body: { songIds: [ID], force: false }, reply: { ok: true, jobId: '5c7a' } },
})

export const getLyricsBatch = defineRoute({
  method: 'GET',
  path: '/api/admin/jobs/lyrics-batch/:jobId',
  summary: 'Returns the progress and results of a batch, for a day after it ends',
  access: needs('editor_lyrics'),
  params: Type.Object({ jobId: Type.String({ minLength: 1, maxLength: 100 }) }),
  reply: Type.Object({
    ok: Type.Literal(true),
    state: Type.Union([
      Type.Literal('waiting'),
      Type.Literal('running'),
      Type.Literal('done'),
      Type.Literal('failed'),
    ]),
    done: Type.Integer(),
    total: Type.Integer(),
    results: Type.Array(LyricsBatchResult),
  }),
  failures: ['NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: {
    reply: {
      ok: true,
      state: 'done',
      done: 1,
      total: 1,
      results: [{ songId: ID, outcome: 'saved', before: 'plain', after: 'synced' }],
    },
  },
})

export const lookUpLyrics = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-lyrics',
  summary:
    'Step 2: looks up lyrics without storing them. A 500 still carries an empty `lyricsEntry` to go on with',
  access: needsOneOf('upload_songs', 'editor_lyrics'),
  body: Type.Object({
    title: Type.Optional(Text),
    artist: Type.Optional(Text),
    album: Type.Optional(Text),
    duration: Type.Optional(Type.Union([Type.Null(), Type.Number({ minimum: 0, maximum: 86_400 })])),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    lyricsEntry: LyricsEntry,
    lyricsStatus: LyricsStatus,
    lyricsFormat: Type.Union([Type.Literal('synced'), Type.Literal('plain'), Type.Null()]),
    message: Localized,
  }),
  failures: ['BAD_REQUEST', 'FETCH_FAILED'],
  example: {
    body: { title: 'Morning Tide', artist: 'Hilda', duration: 184 },
    reply: {
      ok: true,
      lyricsEntry: LYRICS,
      lyricsStatus: 'synced',
      lyricsFormat: 'synced',
      message: { uk: 'Знайдено', en: 'Found' },
    },
  },
})
