import { type Static, Type } from 'typebox'
import { TrackId } from './library/track.ts'

export const PushEndpoint = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'address at the push service of the browser; https, of a host in `PUSH_SERVICE_HOSTS`',
})

/** A browser's `PushSubscription` as `toJSON()` gives it. */
export const PushSubscription = Type.Object(
  {
    endpoint: PushEndpoint,
    keys: Type.Object({
      p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}$', description: 'public key, P-256' }),
      auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'authentication secret' }),
    }),
  },
  { description: 'a `PushSubscription`, as `toJSON()` gives it' },
)
export type PushSubscription = Static<typeof PushSubscription>

/** The song to be told of: the caller's own request, or the caller's own order. */
export const AwaitedSong = Type.Unsafe<{ request: string } | { order: string }>(
  Type.Object(
    {
      request: Type.Optional(TrackId),
      order: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: '`donationId`' })),
    },
    { minProperties: 1, maxProperties: 1 },
  ),
)
export type AwaitedSong = Static<typeof AwaitedSong>

/** The decrypted payload of a push message, which the service worker shows. */
export const SongNotification = Type.Object({
  title: Type.String(),
  body: Type.String(),
  icon: Type.Optional(Type.String({ description: 'path of the cover' })),
  tag: Type.String({ description: 'the same when a message is delivered twice' }),
  url: Type.String({ description: 'path of the page to open' }),
})
export type SongNotification = Static<typeof SongNotification>
