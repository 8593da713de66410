import { Type } from 'typebox'
import { NowPlaying } from '../../resources/sites/now-playing.ts'
import { bytes, defineRoute } from '../../route.ts'

const IfNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({ description: '`ETag` of an earlier reply; 304 while nothing but the position changed' }),
  ),
})
const LastEventId = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ description: 'sent by browsers that reconnect; ignored, for the first event is complete' }),
  ),
})

export const getNowPlaying = defineRoute({
  method: 'GET',
  path: '/api/now-playing',
  summary: 'Returns what is on air, for other sites and programs; may be a second old',
  access: 'public',
  isForAllSites: true,
  headers: IfNoneMatch,
  reply: NowPlaying,
  failures: ['RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    reply: {
      station: { name: { uk: 'Сонцестояння', en: 'Solstice' }, url: 'https://radio.example/' },
      mode: 'day',
      state: 'song',
      current: {
        id: 'day/Morning Tide.mp3',
        title: 'Morning Tide',
        artist: 'Hilda',
        album: 'Shores',
        year: 2024,
        orderType: 'lastinline',
        cover: 'https://radio.example/api/covers/9f2c4e1b7a6d5c3b8e0f1a2b3c4d5e6f/512.webp',
        duration: 187.2,
        position: 42.5,
        startedAt: 1_790_000_000_000,
      },
      next: {
        id: 'day/First Tram.mp3',
        title: 'First Tram',
        artist: 'Amber Tramway',
        album: '',
        year: null,
        orderType: null,
        cover: null,
      },
      listeners: 4,
      live: { hosts: 1, guests: 0 },
      streams: [{ url: 'https://radio.example/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 }],
      hls: 'https://radio.example/api/hls/live.m3u8',
      at: 1_790_000_042_500,
    },
  },
})

export const getNowPlayingEvents = defineRoute({
  method: 'GET',
  path: '/api/now-playing/events',
  summary: 'Sends the reply of `GET /api/now-playing` now and at each change, as server-sent events',
  access: 'public',
  isForAllSites: true,
  headers: LastEventId,
  reply: bytes('text/event-stream', 'Events without a name; `data` is JSON. A comment every 15 s otherwise'),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
})
