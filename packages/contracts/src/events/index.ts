import { type Static, type TSchema, Type } from 'typebox'
import { AuditEntry } from '../resources/admin.ts'
import { nullable, StationTimeMs } from '../resources/schema.ts'
import { RadioState, User } from '../resources/station.ts'
import { QueueItem, TrackId } from '../resources/track.ts'
import { clientEvent, serverEvent } from './event.ts'
import { liveClientEvents, liveServerEvents } from './live.ts'

export const clientEvents = {
  listener_init: clientEvent({
    summary: 'Asks for a uid and a fresh art token; answered by `listener_uid` and `usersUpdate`',
    access: 'anyone',
    payload: null,
    ack: null,
  }),
  suggest_song: clientEvent({
    summary: 'Asks for a song of the library; only `id` is trusted',
    access: 'anyone',
    payload: Type.Object({ id: TrackId }),
    ack: Type.Union([
      Type.Object({ ok: Type.Literal(true) }),
      Type.Object({ error: Type.Literal('cooldown'), secsLeft: Type.Integer() }),
      Type.Object({
        error: Type.Union([Type.Literal('no_admin'), Type.Literal('no_uid'), Type.Literal('not_found')]),
      }),
    ]),
  }),
  stream_get_seek: clientEvent({
    summary: 'Position of the stream now; no answer in sync mode',
    access: 'anyone',
    payload: Type.Number({ description: 'clientTs' }),
    ack: Type.Object({ seek: Type.Number(), duration: Type.Number(), trackId: nullable(TrackId) }),
  }),
  admin_active: clientEvent({
    summary: 'Makes the socket an admin socket; without a token the cookie of the handshake counts',
    access: 'anyone',
    payload: Type.Optional(Type.Union([Type.String({ maxLength: 4_096 }), Type.Null(), Type.Object({})])),
    ack: null,
  }),
  get_queue: clientEvent({
    summary: 'A page of what comes next',
    access: 'admin',
    payload: Type.Object({ offset: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) }),
    ack: Type.Object({ items: Type.Array(QueueItem), total: Type.Integer() }),
  }),
  search_queue: clientEvent({
    summary:
      'The first 1000 upcoming entries that have all words of `query` in artist and title; `total`: how many have',
    access: 'admin',
    payload: Type.Object({ query: Type.Optional(Type.String({ maxLength: 300 })) }),
    ack: Type.Object({
      items: Type.Array(
        Type.Object({ ...QueueItem.properties, position: Type.Integer({ description: '1 = next' }) }),
      ),
      total: Type.Integer(),
    }),
  }),
  admin_add_song: clientEvent({
    summary:
      'Queues a song of the library; only `id` is trusted. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({
      id: TrackId,
      orderType: Type.Union([Type.Literal('lastinline'), Type.Literal('donated')]),
      tier: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100 }))),
    }),
    ack: null,
  }),
  admin_remove_song: clientEvent({
    summary: 'Removes an upcoming entry. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Number({ description: 'position as in `search_queue`, 1 = next' }),
    ack: null,
  }),
  admin_skip_song: clientEvent({
    summary: 'Ends the song on air. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: null,
    ack: null,
  }),
  admin_insert_song_group: clientEvent({
    summary: 'Queues a whole group. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage', 'settings_groups'] },
    payload: Type.Object({ groupId: Type.String({ minLength: 1, maxLength: 100 }) }),
    ack: null,
  }),
  admin_suggestion_action: clientEvent({
    summary:
      'Decides on the request of a listener. Answered by `suggestions_update`, and by `admin_success` when the song is queued or `admin_error` when that is refused',
    access: { all: ['queue_manage'] },
    payload: Type.Object({
      uid: Type.String({ maxLength: 100 }),
      action: Type.String({ maxLength: 100, description: '`add`; any other word rejects' }),
    }),
    ack: null,
  }),
  stream_ping: clientEvent({
    summary: 'The station clock, with the client time echoed',
    access: 'anyone',
    payload: Type.Number({ description: 'clientTs' }),
    ack: Type.Object({ serverTs: StationTimeMs, clientTs: Type.Number() }),
  }),
  ...liveClientEvents,
} as const

export const serverEvents = {
  sync: serverEvent({
    summary: 'The air now: on connect, every 2 seconds and on change',
    payload: RadioState,
  }),
  radio_hosts_mode: serverEvent({ summary: 'Live hosting is on', payload: Type.Boolean() }),
  usersUpdate: serverEvent({
    summary: 'Who is here: admins first, then the newest',
    payload: Type.Array(User),
  }),
  admin_online: serverEvent({
    summary: 'Somebody who may answer requests is online',
    payload: Type.Boolean(),
  }),
  listener_uid: serverEvent({
    summary: 'Answer to `listener_init`',
    payload: Type.Object({
      uid: Type.String({ pattern: '^[0-9a-f]{36}$' }),
      artToken: Type.String(),
      artTokenExpiresIn: Type.Number({ description: 'seconds' }),
      cooldownSecsLeft: Type.Integer(),
    }),
  }),
  library_updated: serverEvent({ summary: 'The library changed: read it again', payload: null }),
  queue_updated: serverEvent({
    summary: 'Entries left the queue because their track was deleted or moved: read it again',
    payload: Type.Object({}),
  }),
  jingles_updated: serverEvent({ summary: 'The jingles changed', payload: null }),
  phrases_updated: serverEvent({ summary: 'The phrases changed', payload: null }),
  background_music_updated: serverEvent({ summary: 'The background music changed', payload: null }),
  admin_confirmed: serverEvent({
    summary: 'The socket is an admin socket from now on',
    payload: Type.Object({
      role: Type.Union([Type.Literal('super_admin'), Type.Literal('admin')]),
      privileges: Type.Array(Type.String()),
      authorized: Type.Boolean(),
    }),
  }),
  admin_success: serverEvent({
    summary: 'What an admin asked for was done: a JSON text `{ code, uk, en }`',
    payload: Type.String(),
  }),
  admin_error: serverEvent({
    summary: 'What an admin asked for was refused: a JSON text `{ code, uk, en, reason?, secsLeft? }`',
    payload: Type.String(),
  }),
  suggestions_update: serverEvent({
    summary: 'The songs that listeners ask for',
    payload: Type.Array(
      Type.Object({
        uid: Type.String(),
        song: Type.Object({ id: TrackId, title: Type.String(), artist: Type.String() }),
        addedAt: StationTimeMs,
      }),
    ),
  }),
  suggestion_result: serverEvent({
    summary: 'What became of the own song request; `auto`: nobody decided',
    payload: Type.Object({
      accepted: Type.Boolean(),
      auto: Type.Boolean(),
      song: Type.Object({ id: TrackId, title: Type.String(), artist: Type.String() }),
    }),
  }),
  donation_result: serverEvent({
    summary: 'What became of an own order: its song is queued, or will not be',
    payload: Type.Union([
      Type.Object({
        donationId: Type.String(),
        accepted: Type.Literal(true),
        tier: nullable(Type.Integer()),
        song: Type.Object({ title: Type.String(), artist: Type.String() }),
      }),
      Type.Object({
        donationId: Type.String(),
        accepted: Type.Literal(false),
        reason: Type.Union([Type.Literal('payment_failed'), Type.Literal('no_slot')]),
      }),
    ]),
  }),
  suggest_cooldown_update: serverEvent({
    summary: 'Seconds until the listener may ask for a song again',
    payload: Type.Integer(),
  }),
  privileges_updated: serverEvent({
    summary: 'What the own account may do has changed',
    payload: Type.Object({ privileges: Type.Array(Type.String()), authorized: Type.Boolean() }),
  }),
  admin_authorized: serverEvent({
    summary: 'A helper has activated its account',
    payload: Type.Object({ adminId: Type.String(), login: Type.String(), authorized: Type.Literal(true) }),
  }),
  force_logout: serverEvent({
    summary: 'The own account is gone or was reset: the socket is no admin socket any more',
    payload: Type.Object({
      reason: Type.Union([Type.Literal('admin_deleted'), Type.Literal('password_reset')]),
    }),
  }),
  audit_new_entry: serverEvent({ summary: 'Somebody did something', payload: AuditEntry }),
  job_progress: serverEvent({
    summary: 'How far a background job is',
    payload: Type.Object({
      jobId: Type.String(),
      name: Type.String(),
      state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
      done: Type.Integer(),
      total: Type.Integer(),
    }),
  }),
  stream_track_start: serverEvent({
    summary: 'The first sample of a track reached the encoder',
    payload: Type.Object({ trackId: TrackId, duration: Type.Number(), serverTs: StationTimeMs }),
  }),
  stream_jingle_start: serverEvent({
    summary:
      'The first sample of a jingle reached the encoder; the song before it stays shown, its clock stands still',
    payload: Type.Object({ jingleId: Type.String(), serverTs: StationTimeMs }),
  }),
  stream_jingle_end: serverEvent({
    summary: 'A jingle ended',
    payload: Type.Object({ serverTs: StationTimeMs }),
  }),
  ...liveServerEvents,
} as const

export type ClientEvents = typeof clientEvents
export type ServerEvents = typeof serverEvents
export type ClientEventName = keyof ClientEvents
export type ServerEventName = keyof ServerEvents
// Tables, looked up by name: worked out for a name that is not known yet, it would take the compiler long.
type Payloads<Events extends Record<string, { payload?: unknown }>> = {
  [E in keyof Events]: Events[E]['payload'] extends TSchema ? Static<Events[E]['payload']> : undefined
}
type ServerPayloads = Payloads<ServerEvents>
type ClientPayloads = Payloads<ClientEvents>
export type ServerPayload<E extends ServerEventName> = ServerPayloads[E]
export type ClientPayload<E extends ClientEventName> = ClientPayloads[E]
export type Ack<E extends ClientEventName> = ClientEvents[E]['ack'] extends TSchema
  ? Static<ClientEvents[E]['ack']>
  : undefined
