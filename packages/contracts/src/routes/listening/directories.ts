import { Type } from 'typebox'
import { IcecastStatus } from '../../resources/sites/icecast.ts'
import { bytes, defineRoute } from '../../route.ts'

const playlist = {
  method: 'GET',
  access: 'public',
  isForAllSites: true,
  failures: ['STREAM_OFF', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
} as const

export const getM3u = defineRoute({
  ...playlist,
  path: '/listen.m3u',
  summary: 'Returns the addresses of the streams as an M3U playlist',
  reply: bytes('audio/x-mpegurl', 'An extended M3U in UTF-8'),
})

export const getPls = defineRoute({
  ...playlist,
  path: '/listen.pls',
  summary: 'Returns the addresses of the streams as a PLS playlist',
  reply: bytes('audio/x-scpls', 'A PLS of version 2 in UTF-8'),
})

export const getXspf = defineRoute({
  ...playlist,
  path: '/listen.xspf',
  summary: 'Returns the addresses of the streams as an XSPF playlist',
  reply: bytes('application/xspf+xml', 'An XSPF of version 1'),
})

export const getIcecastStatus = defineRoute({
  method: 'GET',
  path: '/status-json.xsl',
  summary: 'Returns the streams, their listeners and titles as Icecast 2.4 does; may be a second old',
  access: 'public',
  isForAllSites: true,
  query: Type.Object({
    mount: Type.Optional(
      Type.String({ maxLength: 200, description: 'path of a stream; the others are left out' }),
    ),
  }),
  reply: IcecastStatus,
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    query: { mount: '/api/stream/public.mp3' },
    reply: {
      icestats: {
        admin: '',
        host: 'radio.example',
        location: 'UA',
        server_id: 'Icecast 2.4.4',
        server_start: 'Sun, 20 Sep 2026 12:26:40 +0000',
        server_start_iso8601: '2026-09-20T12:26:40+0000',
        source: {
          audio_info: 'channels=2;samplerate=44100;bitrate=192',
          bitrate: 192,
          channels: 2,
          genre: 'Ambient,Folk',
          listener_peak: 37,
          listeners: 4,
          listenurl: 'https://radio.example/api/stream/public.mp3',
          samplerate: 44_100,
          server_description: 'Calm songs by day, longer ones by night',
          server_name: 'Solstice',
          server_type: 'audio/mpeg',
          server_url: 'https://radio.example/',
          stream_start: 'Sun, 20 Sep 2026 12:26:40 +0000',
          stream_start_iso8601: '2026-09-20T12:26:40+0000',
          title: 'Hilda - Morning Tide',
          dummy: null,
        },
      },
    },
  },
})
