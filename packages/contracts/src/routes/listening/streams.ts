import { Type } from 'typebox'
import { bytes, defineRoute } from '../../route.ts'

const FromFrame = Type.Object({
  from: Type.Optional(
    Type.Integer({ minimum: 0, description: 'frame number to resume from, if it is still buffered' }),
  ),
})
const WantsTitles = Type.Object({
  'Icy-MetaData': Type.Optional(Type.String({ description: '`1` asks for in-band titles' })),
})
const endless = (contentType: string) =>
  bytes(contentType, 'The endless broadcast; with `Icy-MetaData: 1`, titles stand in it every 16000 bytes')
const endlessOgg = bytes(
  'audio/ogg',
  'The endless broadcast; a new logical stream with its tags begins at each title',
)

export const getStream = defineRoute({
  method: 'GET',
  path: '/api/stream',
  summary: 'Streams the broadcast to a browser',
  access: 'art',
  query: FromFrame,
  headers: WantsTitles,
  reply: endless('audio/mpeg'),
  failures: ['BAD_REQUEST', 'ART_TOKEN_INVALID', 'STREAM_OFF', 'RATE_LIMITED', 'STREAM_NOT_READY'],
})

export const getPublicStream = defineRoute({
  method: 'GET',
  path: '/api/stream/public.mp3',
  summary: 'Streams the broadcast to radio directories and hardware players',
  access: 'public',
  isForAllSites: true,
  query: FromFrame,
  headers: WantsTitles,
  reply: endless('audio/mpeg'),
  failures: ['BAD_REQUEST', 'STREAM_OFF', 'RATE_LIMITED', 'STREAM_NOT_READY'],
})

const ofMount = {
  method: 'GET',
  access: 'public',
  isForAllSites: true,
  params: Type.Object({
    bitrate: Type.Integer({ minimum: 1, maximum: 999, description: 'kbit/s, as in `STREAM_MOUNTS`' }),
  }),
  query: FromFrame,
  headers: WantsTitles,
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'STREAM_OFF', 'RATE_LIMITED', 'STREAM_NOT_READY'],
} as const

export const getMp3Mount = defineRoute({
  ...ofMount,
  path: '/api/stream/public-:bitrate.mp3',
  summary: 'Streams the broadcast in MP3 at another bit rate',
  reply: endless('audio/mpeg'),
})

export const getAacMount = defineRoute({
  ...ofMount,
  path: '/api/stream/public-:bitrate.aac',
  summary: 'Streams the broadcast in AAC-LC (ADTS)',
  reply: endless('audio/aac'),
})

export const getOpusMount = defineRoute({
  ...ofMount,
  path: '/api/stream/public-:bitrate.opus',
  summary: 'Streams the broadcast in Opus (Ogg)',
  reply: endlessOgg,
})

export const getOpusStream = defineRoute({
  method: 'GET',
  path: '/api/stream/public.opus',
  summary: 'Streams the first mount in Opus (Ogg)',
  access: 'public',
  isForAllSites: true,
  query: FromFrame,
  reply: endlessOgg,
  failures: ofMount.failures,
})
