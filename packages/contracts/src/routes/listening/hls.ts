import { Type } from 'typebox'
import { bytes, defineRoute } from '../../route.ts'

const open = { method: 'GET', access: 'public', isForAllSites: true } as const
const failures = ['BAD_REQUEST', 'NOT_FOUND', 'STREAM_OFF', 'RATE_LIMITED', 'STREAM_NOT_READY'] as const
const PLAYLIST = 'application/vnd.apple.mpegurl'
/** Any name: one that has no segments is not found, such as a mount in Opus. */
const Mount = Type.String({ maxLength: 32, description: 'codec and kbit/s: mp3-192 or aac-64' })

export const getHls = defineRoute({
  ...open,
  path: '/api/hls/live.m3u8',
  summary: 'Returns the playlist of all mounts for HLS (RFC 8216)',
  reply: bytes(PLAYLIST, 'A master playlist with a variant for each mount in MP3 or AAC'),
  failures: ['STREAM_OFF', 'RATE_LIMITED', 'STREAM_NOT_READY'],
})

export const getHlsMount = defineRoute({
  ...open,
  path: '/api/hls/:mount/live.m3u8',
  summary: 'Returns the playlist of a mount, with the segments of the last minute',
  params: Type.Object({ mount: Mount }),
  query: Type.Object({
    listener: Type.Optional(
      Type.String({
        pattern: '^[\\w-]{1,32}$',
        description: 'from the playlist of all mounts: tells listeners of one address apart',
      }),
    ),
  }),
  reply: bytes(PLAYLIST, 'A media playlist; a second old at most'),
  failures,
})

const segment = {
  ...open,
  params: Type.Object({
    mount: Mount,
    segment: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'its number' }),
  }),
  failures,
} as const

export const getHlsMp3Segment = defineRoute({
  ...segment,
  path: '/api/hls/:mount/:segment.mp3',
  summary: 'Returns a segment of a mount in MP3, which never changes',
  reply: bytes('audio/mpeg', 'An ID3 tag with its time, title and artist, then the frames of 6.06 s'),
})

export const getHlsAacSegment = defineRoute({
  ...segment,
  path: '/api/hls/:mount/:segment.aac',
  summary: 'Returns a segment of a mount in AAC, which never changes',
  reply: bytes('audio/aac', 'An ID3 tag with its time, title and artist, then the frames of 6.06 s'),
})
