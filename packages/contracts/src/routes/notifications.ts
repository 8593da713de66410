import { Type } from 'typebox'
import { AwaitedSong, PushEndpoint, PushSubscription } from '../resources/notification.ts'
import { defineRoute } from '../route.ts'

const ID = 'q3Vt0cJ1yNf8sXw2LkA7Rg'
const EXAMPLE = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/c9X…',
  keys: {
    p256dh: 'BPnJv9CZyq1d8x0fV3m7sQkTtEo2wYb6hLr5uXc4iGa1NnMe8DpOzSjKgHfRyUvWqIbAlCxTdZs0oPk2JrEw7Yc',
    auth: '5s1TtEo2wYb6hLr5uXc4iG',
  },
}
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' })

export const getPushKey = defineRoute({
  method: 'GET',
  path: '/api/notifications/key',
  summary: "Returns the station's public VAPID key, for `pushManager.subscribe`",
  access: 'public',
  capability: 'webPush',
  reply: Type.Object({ publicKey: Type.String({ description: 'P-256, base64url' }) }),
  failures: ['RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    reply: {
      publicKey: 'BPnJv9CZyq1d8x0fV3m7sQkTtEo2wYb6hLr5uXc4iGa1NnMe8DpOzSjKgHfRyUvWqIbAlCxTdZs0oPk2JrEw7Yc',
    },
  },
})

export const addNotification = defineRoute({
  method: 'POST',
  path: '/api/notifications',
  summary:
    'Has the station tell a browser when a song that the listener asked or paid for is next; idempotent',
  access: 'public',
  capability: 'webPush',
  body: Type.Object({
    subscription: PushSubscription,
    song: AwaitedSong,
    lang: Type.Union([Type.Literal('uk'), Type.Literal('en')], { description: 'language of the message' }),
  }),
  reply: Type.Object({ ok: Type.Literal(true), id: Id }),
  failures: [
    'BAD_REQUEST',
    'PUSH_SERVICE_UNKNOWN',
    'NOT_FOUND',
    'NOTIFICATIONS_FULL',
    'RATE_LIMITED',
    'AIR_UNAVAILABLE',
  ],
  example: {
    body: {
      subscription: EXAMPLE,
      song: { request: 'day/Morning Tide.mp3' },
      lang: 'en',
    },
    reply: { ok: true, id: ID },
  },
})

export const moveSubscription = defineRoute({
  method: 'POST',
  path: '/api/notifications/moved',
  summary:
    'Sends what a browser awaits to the subscription that has replaced its former one, whose endpoint nobody else knows; an unknown one is no error',
  access: 'public',
  capability: 'webPush',
  body: Type.Object({ endpoint: PushEndpoint, subscription: PushSubscription }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['BAD_REQUEST', 'PUSH_SERVICE_UNKNOWN', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { endpoint: 'https://fcm.googleapis.com/fcm/send/a1B…', subscription: EXAMPLE },
    reply: { ok: true },
  },
})

export const removeNotification = defineRoute({
  method: 'DELETE',
  path: '/api/notifications/:id',
  summary: 'Takes back such a wish; an unknown one is no error',
  access: 'public',
  capability: 'webPush',
  params: Type.Object({ id: Id }),
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: { params: { id: ID }, reply: { ok: true } },
})
