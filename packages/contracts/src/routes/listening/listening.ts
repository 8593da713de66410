import { Type } from 'typebox'
import { privileges } from '../../privileges.ts'
import {
  CoverId,
  coverSizes,
  HistoryItem,
  LibraryItem,
  Track,
  TrackId,
} from '../../resources/library/track.ts'
import { nullable } from '../../resources/schema.ts'
import { capabilityNames, PublicConfig } from '../../resources/station.ts'
import { bytes, defineRoute } from '../../route.ts'

export * from './hls.ts'
export * from './streams.ts'

const MediaUrl = Type.Object({
  url: Type.String(),
  ttl: Type.Optional(Type.Number({ description: 'seconds for which the URL is valid' })),
})
const ArtUrl = Type.Object({
  ...MediaUrl.properties,
  url: nullable(Type.String({ description: 'null = the artist has no image, and `absent` says so' })),
  color: Type.Optional(
    Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'the colour that the image is remembered by' }),
  ),
})
const Name = (description: string) => Type.String({ description, minLength: 1, maxLength: 300 })
const ByTrack = Type.Object({ track: TrackId })
const TRACK_ID = 'day/Morning Tide.mp3'
const TRACK = { title: 'Morning Tide', artist: 'Hilda' }
const wrapped = (what: string) =>
  bytes('application/octet-stream', `${what}, XORed with the key in the middle segment of the art token`)
const refusals = ['BAD_REQUEST', 'ART_TOKEN_INVALID', 'NOT_FOUND'] as const
const picture = { method: 'GET', access: 'art', failures: refusals } as const

export const getConfig = defineRoute({
  method: 'GET',
  path: '/api/public/config',
  summary: 'Returns what the station is and can do',
  access: 'public',
  reply: PublicConfig,
  failures: [],
  example: {
    reply: {
      dataProvider: 'json',
      musicSource: 'local',
      nightMode: true,
      streamMode: true,
      streams: [{ path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 }],
      radioHostsMode: false,
      allPrivileges: [...privileges],
      timeZone: 'Europe/Kyiv',
      capabilities: Object.fromEntries(capabilityNames.map((name) => [name, name !== 'donations'])),
      limits: {
        queueAddCooldownS: 30,
        queueRemoveCooldownS: 30,
        queueSkipCooldownS: 30,
        groupInsertCooldownS: 600,
        suggestExpiryS: 300,
      },
      donationInfo: null,
    },
  },
})

export const getHistory = defineRoute({
  method: 'GET',
  path: '/api/history',
  summary: 'Returns the last 10 tracks played, oldest first, without the current one',
  access: 'public',
  reply: Type.Array(HistoryItem),
  failures: [],
  example: {
    reply: [
      { id: 7, trackId: TRACK_ID, ...TRACK, album: 'Shores', mode: 'day', playedAt: 1_790_000_000_000 },
    ],
  },
})

export const getHistoryOfDay = defineRoute({
  method: 'GET',
  path: '/api/history/:date',
  summary: 'Returns the tracks that began on a day of the station, oldest first, without the current one',
  access: 'public',
  params: Type.Object({
    date: Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: "a day in the station's time zone",
    }),
  }),
  reply: Type.Object({
    timeZone: Type.String(),
    from: Type.Number({ description: 'epoch ms at which the day begins' }),
    until: Type.Number({ description: 'epoch ms at which it ends, exclusive' }),
    keptSince: Type.Number({ description: 'epoch ms; what was played earlier is not kept' }),
    entries: Type.Array(HistoryItem),
  }),
  failures: ['BAD_REQUEST'],
  example: {
    params: { date: '2026-09-21' },
    reply: {
      timeZone: 'Europe/Kyiv',
      from: 1_789_938_000_000,
      until: 1_790_024_400_000,
      keptSince: 1_782_000_000_000,
      entries: [
        { id: 7, trackId: TRACK_ID, ...TRACK, album: 'Shores', mode: 'day', playedAt: 1_790_000_000_000 },
      ],
    },
  },
})

export const getLibrary = defineRoute({
  method: 'GET',
  path: '/api/library',
  summary: 'Returns the tracks of the mode on air, ordered by artist and title',
  access: 'public',
  reply: Type.Array(LibraryItem),
  failures: [],
  example: { reply: [{ id: TRACK_ID, ...TRACK }] },
})

export const getTrack = defineRoute({
  method: 'GET',
  path: '/api/track',
  summary: 'Returns a track of either mode, and when it was last played',
  access: 'public',
  query: ByTrack,
  reply: Type.Object({
    ...Type.Pick(Track, ['id', 'title', 'artist', 'album', 'year', 'duration', 'mode']).properties,
    lastPlayedAt: nullable(
      Type.Number({ description: 'epoch ms at which it last began; null when that is not known any more' }),
    ),
  }),
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND'],
  example: {
    query: { track: TRACK_ID },
    reply: {
      id: TRACK_ID,
      ...TRACK,
      album: 'Shores',
      year: 2019,
      duration: 214,
      mode: 'day',
      lastPlayedAt: 1_790_000_000_000,
    },
  },
})

export const getLyrics = defineRoute({
  method: 'GET',
  path: '/api/lyrics',
  summary: 'Returns the lyrics of a song, looked up and stored on first access',
  access: 'art',
  query: Type.Object({
    title: Name('title'),
    artist: Name('artist'),
    album: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  reply: wrapped('A JSON lyrics entry `{ synced, lines, offset, notFound }`'),
  failures: ['BAD_REQUEST', 'ART_TOKEN_INVALID', 'RATE_LIMITED', 'FETCH_FAILED', 'AIR_UNAVAILABLE'],
  example: { query: TRACK },
})

export const getArtUrl = defineRoute({
  method: 'GET',
  path: '/api/art/url',
  summary: "Returns the URL of an artist's image",
  access: 'art',
  query: Type.Object({
    artist: Name('artist'),
    absent: Type.Optional(
      Type.Literal('null', { description: 'answers `{ url: null }` instead of 404, which browsers report' }),
    ),
  }),
  reply: ArtUrl,
  failures: ['BAD_REQUEST', 'ART_TOKEN_INVALID', 'NOT_FOUND', 'STORAGE_URL_FAILED'],
  example: {
    query: { artist: 'Hilda' },
    reply: { url: 'https://radio.example/api/artist-art/hilda', ttl: 3600, color: '#c98a6a' },
  },
})

export const getCover = defineRoute({
  method: 'GET',
  path: '/api/covers/:id/:size.webp',
  summary:
    'Returns a cover, square and at most `size` pixels wide: never larger than the picture in the file',
  access: 'public',
  params: Type.Object({
    id: CoverId,
    size: Type.Union(
      coverSizes.map((size) => Type.Literal(String(size))),
      { description: 'pixels' },
    ),
  }),
  reply: bytes('image/webp', 'The image, which never changes. Pages of all origins may read it'),
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'RATE_LIMITED', 'STORAGE_URL_FAILED', 'AIR_UNAVAILABLE'],
})

export const findCovers = defineRoute({
  method: 'POST',
  path: '/api/covers',
  summary: 'Returns which covers the tracks of a list have',
  access: 'public',
  body: Type.Object({ tracks: Type.Array(TrackId, { minItems: 1, maxItems: 20 }) }),
  reply: Type.Object({
    covers: Type.Array(nullable(CoverId), {
      description: 'one for each track, in the same order; null for a track without a cover',
    }),
  }),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { tracks: [TRACK_ID, 'night/Low Tide.mp3'] },
    reply: { covers: ['9f2c4e1b7a6d5c3b8e0f1a2b3c4d5e6f', null] },
  },
})

export const getArtistArt = defineRoute({
  ...picture,
  path: '/api/artist-art/:artist',
  summary: "Returns an artist's image, wrapped; the `X-Art-Mime` header has its type",
  params: Type.Object({ artist: Name('artist') }),
  reply: wrapped('A JPEG image'),
})

export const getAvatar = defineRoute({
  ...picture,
  path: '/api/avatar/:filename',
  summary: "Returns a listener's avatar, wrapped; the `X-Art-Mime` header has its type",
  params: Type.Object({ filename: Name('file name') }),
  reply: wrapped('An image'),
})

export const getAudioKey = defineRoute({
  method: 'GET',
  path: '/api/audio-key',
  summary: 'Returns an audio token for the listener named in `X-Listener-Uid`',
  access: 'art',
  headers: Type.Object({
    'X-Listener-Uid': Type.String({ description: 'the uid from `listener_uid`', minLength: 1 }),
  }),
  reply: Type.Object({ token: Type.String(), expiresIn: Type.Number({ description: 'seconds' }) }),
  failures: ['BAD_REQUEST', 'ART_TOKEN_INVALID'],
  example: { reply: { token: '0f3a….1790000000000.q7Yk…', expiresIn: 900 } },
})

export const getAudio = defineRoute({
  method: 'GET',
  path: '/api/audio/stream',
  summary: 'Returns the audio file of a track; supports single byte ranges',
  access: 'art+audio',
  query: ByTrack,
  headers: Type.Object({ Range: Type.Optional(Type.String({ description: 'for example `bytes=0-65535`' })) }),
  reply: {
    ...bytes('audio/mpeg', 'The file or the requested range of it'),
    hasRanges: true,
    mayRedirect: true,
  },
  failures: [
    'BAD_REQUEST',
    'ART_TOKEN_INVALID',
    'AUDIO_TOKEN_INVALID',
    'TRACK_NOT_FOUND',
    'RANGE_NOT_SATISFIABLE',
    'STORAGE_URL_FAILED',
  ],
  example: { query: { track: TRACK_ID } },
})

export const getAudioFrames = defineRoute({
  method: 'GET',
  path: '/api/audio/frames',
  summary: 'Tells where the frames of a file lie, to start in the middle of one with a variable bit rate',
  access: 'art+audio',
  query: ByTrack,
  reply: Type.Object({
    every: Type.Integer({ description: 'frames from one entry of `at` to the next' }),
    at: Type.Array(Type.Integer(), {
      description:
        'bytes of the frames 0, `every`, 2 × `every` …, counted from the first one with sound, as far as they follow each other without a gap; empty for files that are no MP3, and for those in a bucket',
    }),
  }),
  failures: ['BAD_REQUEST', 'ART_TOKEN_INVALID', 'AUDIO_TOKEN_INVALID', 'TRACK_NOT_FOUND', 'RATE_LIMITED'],
  example: { query: { track: TRACK_ID }, reply: { every: 100, at: [417, 42_217, 84_017] } },
})

export const getAudioUrl = defineRoute({
  method: 'GET',
  path: '/api/audio/url',
  summary: 'Returns a URL of the audio file that needs no headers',
  access: 'art+audio',
  query: ByTrack,
  reply: MediaUrl,
  failures: [
    'BAD_REQUEST',
    'ART_TOKEN_INVALID',
    'AUDIO_TOKEN_INVALID',
    'TRACK_NOT_FOUND',
    'STORAGE_URL_FAILED',
  ],
  example: {
    query: { track: TRACK_ID },
    reply: {
      url: 'https://radio.example/api/audio/stream?track=day%2FMorning+Tide.mp3&artToken=…&audioToken=…',
    },
  },
})

export const setLyricsOffset = defineRoute({
  method: 'POST',
  path: '/api/lyrics/offset',
  summary: 'Shifts all lyrics lines of a song by `offset` seconds; 0 removes the shift',
  access: 'admin',
  body: Type.Object({
    title: Type.Optional(Type.String({ maxLength: 1_000 })),
    artist: Type.Optional(Type.String({ maxLength: 1_000 })),
    offset: Type.Number({ minimum: -86_400, maximum: 86_400 }),
  }),
  reply: Type.Object({ ok: Type.Literal(true), offset: Type.Number() }),
  failures: ['BAD_REQUEST'],
  example: {
    body: { title: 'Morning Tide', artist: 'Hilda', offset: -0.5 },
    reply: { ok: true, offset: -0.5 },
  },
})

export const getAdminAudio = defineRoute({
  method: 'GET',
  path: '/api/audio/stream/admin',
  summary: 'Returns the audio file of a track to an admin; supports single byte ranges',
  access: 'file',
  query: Type.Object({
    track: TrackId,
    adminToken: Type.Optional(
      Type.String({ description: 'an admin token, or the token of a URL for this file' }),
    ),
  }),
  headers: Type.Object({ Range: Type.Optional(Type.String()) }),
  reply: {
    ...bytes('audio/mpeg', 'The file or the requested range of it'),
    hasRanges: true,
    mayRedirect: true,
  },
  failures: ['BAD_REQUEST', 'TRACK_NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'STORAGE_URL_FAILED'],
  example: { query: { track: TRACK_ID } },
})
