import { Type } from 'typebox'
import { METADATA_EXAMPLE, TRACK_ID } from '../../examples/tracks.ts'
import { Mode, Uploaded } from '../../resources/library/track.ts'
import { Link } from '../../resources/schema.ts'
import { defineRoute, needs } from '../../route.ts'

export const importVideo = defineRoute({
  method: 'POST',
  path: '/api/admin/upload-song-url',
  summary:
    'Step 1 from a video link: downloads the audio and re-encodes it. Closing the connection cancels the download',
  access: needs('upload_songs'),
  capability: 'uploadTracks',
  body: Type.Object({
    url: Type.Optional(Link),
    mode: Type.Optional(Mode),
    lang: Type.Optional(Type.String()),
  }),
  reply: Uploaded,
  failures: [
    'BAD_REQUEST',
    'STORAGE_WRITE_FAILED',
    'FILENAME_EXISTS',
    'RATE_LIMITED',
    'TOOL_UNAVAILABLE',
    'JOBS_UNAVAILABLE',
    'TOOL_TIMEOUT',
  ],
  example: {
    body: { url: 'https://youtu.be/dQw4w9WgXcQ', mode: 'day' },
    reply: { ok: true, storageKey: TRACK_ID, metadata: METADATA_EXAMPLE },
  },
})

export const getVideoTracks = defineRoute({
  method: 'POST',
  path: '/api/admin/video-track-info',
  summary:
    'Lists the tracks behind a video or playlist link, at most 100. Closing the connection cancels the lookup',
  access: needs('upload_songs'),
  body: Type.Object({ url: Type.Optional(Link), lang: Type.Optional(Type.String()) }),
  reply: Type.Object({
    ok: Type.Literal(true),
    tracks: Type.Array(Type.Object({ url: Type.String(), title: Type.String() })),
    total: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'TOOL_UNAVAILABLE', 'JOBS_UNAVAILABLE', 'TOOL_TIMEOUT'],
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
  summary: 'Stores cookies of the video site for a day, for age-restricted videos',
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
  summary: 'Returns whether songs can be imported from video links',
  access: needs('upload_songs'),
  reply: Type.Object({
    ok: Type.Literal(true),
    available: Type.Boolean(),
    videodownAvailable: Type.Boolean(),
    ffmpegAvailable: Type.Boolean(),
  }),
  failures: [],
  example: { reply: { ok: true, available: true, videodownAvailable: true, ffmpegAvailable: true } },
})
