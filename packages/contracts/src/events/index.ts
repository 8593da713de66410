import { type Static, type TSchema, Type } from 'typebox'
import { AuditEntry } from '../resources/admin.ts'
import { ClipChoice } from '../resources/library/clip.ts'
import { QueueItem, TrackId } from '../resources/library/track.ts'
import { nullable, StationTimeMs } from '../resources/schema.ts'
import { RadioState, User } from '../resources/station.ts'
import { clientEvent, serverEvent } from './event.ts'
import { liveClientEvents } from './live.ts'
import { liveServerEvents } from './live-news.ts'

const EntryId = Type.String({ minLength: 1, maxLength: 100 })

export const clientEvents = {
  listener_init: clientEvent({
    summary: 'Requests a uid and a fresh art token; answered by `listener_uid` and `usersUpdate`',
    access: 'anyone',
    payload: null,
    ack: null,
  }),
  suggest_song: clientEvent({
    summary: 'Requests a song of the library; the server reads only `id`',
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
    summary: 'Returns the current position of the stream in seconds; not acknowledged in sync mode',
    access: 'anyone',
    payload: Type.Number({ description: 'clientTs' }),
    ack: Type.Object({ seek: Type.Number(), duration: Type.Number(), trackId: nullable(TrackId) }),
  }),
  admin_active: clientEvent({
    summary: 'Turns the socket into an admin socket, by the given token or the cookie of the handshake',
    access: 'anyone',
    payload: Type.Optional(Type.Union([Type.String({ maxLength: 4_096 }), Type.Null(), Type.Object({})])),
    ack: null,
  }),
  get_queue: clientEvent({
    summary: 'Returns a page of the upcoming entries',
    access: 'admin',
    payload: Type.Object({ offset: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) }),
    ack: Type.Object({ items: Type.Array(QueueItem), total: Type.Integer() }),
  }),
  search_queue: clientEvent({
    summary:
      'Returns the first 1000 upcoming entries whose artist and title contain every word of `query`; `total` counts all of them',
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
      'Queues a song of the library; the server looks it up by `id`. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({
      id: TrackId,
      orderType: Type.Union([Type.Literal('lastinline'), Type.Literal('donated')]),
      tier: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100 }))),
      position: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100_000,
          description:
            'for `lastinline`: the place to take among the requested songs, 1 = next; else behind all of them',
        }),
      ),
    }),
    ack: null,
  }),
  admin_remove_song: clientEvent({
    summary:
      'Removes an upcoming entry. Answered by `admin_success`, whose `entry` has its `entryId`, `title` and `artist`, or by `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Union([
      Type.Number({ description: 'position as in `search_queue`, 1 = next' }),
      Type.Object({ entryId: EntryId }, { description: 'the entry itself, wherever it stands by now' }),
    ]),
    ack: null,
  }),
  admin_restore_song: clientEvent({
    summary:
      'Puts a removed entry back at its place; a paid order is queued again by the rules for paid songs. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({ entryId: EntryId }),
    ack: null,
  }),
  admin_move_song: clientEvent({
    summary: 'Moves an upcoming entry among those of its kind. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({
      id: TrackId,
      from: Type.Integer({ minimum: 1, description: 'position at which `id` is seen, as in `search_queue`' }),
      to: Type.Integer({ minimum: 1, description: 'position at which it should stand afterwards' }),
    }),
    ack: null,
  }),
  admin_insert_jingle: clientEvent({
    summary: 'Puts a jingle after the song on air. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
    ack: null,
  }),
  admin_cancel_jingle: clientEvent({
    summary: 'Takes back the jingle that was put next. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
    ack: null,
  }),
  admin_skip_song: clientEvent({
    summary: 'Ends the song on air. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage'] },
    payload: null,
    ack: null,
  }),
  admin_insert_song_group: clientEvent({
    summary: 'Queues all songs of a group. Answered by `admin_success` or `admin_error`',
    access: { all: ['queue_manage', 'settings_groups'] },
    payload: Type.Object({ groupId: Type.String({ minLength: 1, maxLength: 100 }) }),
    ack: null,
  }),
  admin_suggestion_action: clientEvent({
    summary:
      "Accepts or rejects a listener's request. Answered by `suggestions_update`, and for an accepted song by `admin_success` or `admin_error`",
    access: { all: ['queue_manage'] },
    payload: Type.Object({
      uid: Type.String({ maxLength: 100 }),
      action: Type.String({ maxLength: 100, description: '`add` accepts; anything else rejects' }),
    }),
    ack: null,
  }),
  stream_ping: clientEvent({
    summary: 'Returns the time of the station clock and echoes `clientTs`',
    access: 'anyone',
    payload: Type.Number({ description: 'clientTs' }),
    ack: Type.Object({ serverTs: StationTimeMs, clientTs: Type.Number() }),
  }),
  ...liveClientEvents,
} as const

export const serverEvents = {
  sync: serverEvent({
    summary: 'The state of the air; sent on connect, every 2 seconds and on change',
    payload: RadioState,
  }),
  radio_hosts_mode: serverEvent({ summary: 'Whether live hosting is on', payload: Type.Boolean() }),
  usersUpdate: serverEvent({
    summary: 'Connected users: admins first, then the newest',
    payload: Type.Array(User),
  }),
  admin_online: serverEvent({
    summary: 'Whether an admin who may answer requests is online',
    payload: Type.Boolean(),
  }),
  listener_uid: serverEvent({
    summary: 'The answer to `listener_init`',
    payload: Type.Object({
      uid: Type.String({ pattern: '^[0-9a-f]{36}$' }),
      artToken: Type.String(),
      artTokenExpiresIn: Type.Number({ description: 'seconds' }),
      cooldownSecsLeft: Type.Integer(),
    }),
  }),
  library_updated: serverEvent({ summary: 'The library changed; fetch it again', payload: null }),
  queue_updated: serverEvent({
    summary: 'Entries left the queue because their track was deleted or moved; fetch it again',
    payload: Type.Object({}),
  }),
  jingles_updated: serverEvent({ summary: 'The jingles changed', payload: null }),
  phrases_updated: serverEvent({ summary: 'The phrases changed', payload: null }),
  background_music_updated: serverEvent({ summary: 'The background music changed', payload: null }),
  settings_updated: serverEvent({
    summary: 'Settings or song groups were saved; sent to admins, who fetch them again',
    payload: null,
  }),
  admin_confirmed: serverEvent({
    summary: 'The socket has become an admin socket',
    payload: Type.Object({
      role: Type.Union([Type.Literal('super_admin'), Type.Literal('admin')]),
      privileges: Type.Array(Type.String()),
      authorized: Type.Boolean(),
    }),
  }),
  admin_success: serverEvent({
    summary: "An admin's request succeeded: `{ code, uk, en }` as a JSON string",
    payload: Type.String(),
  }),
  admin_error: serverEvent({
    summary: "An admin's request was refused: `{ code, uk, en, reason?, secsLeft? }` as a JSON string",
    payload: Type.String(),
  }),
  suggestions_update: serverEvent({
    summary: 'The songs that listeners have requested',
    payload: Type.Array(
      Type.Object({
        uid: Type.String(),
        song: Type.Object({ id: TrackId, title: Type.String(), artist: Type.String() }),
        addedAt: StationTimeMs,
      }),
    ),
  }),
  next_jingle_update: serverEvent({
    summary:
      'The jingle that an admin put after the song on air, or null; sent to admins who manage the queue, on change and at first',
    payload: nullable(ClipChoice),
  }),
  suggestion_result: serverEvent({
    summary: "The outcome of the listener's own song request; `auto` means nobody decided in time",
    payload: Type.Object({
      accepted: Type.Boolean(),
      auto: Type.Boolean(),
      song: Type.Object({ id: TrackId, title: Type.String(), artist: Type.String() }),
    }),
  }),
  donation_result: serverEvent({
    summary: "The outcome of the listener's own order: the song was queued or will not be",
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
        reason: Type.Union([
          Type.Literal('payment_failed'),
          Type.Literal('no_slot'),
          Type.Literal('paid_back'),
        ]),
      }),
    ]),
  }),
  suggest_cooldown_update: serverEvent({
    summary: 'Seconds until the listener may request a song again',
    payload: Type.Integer(),
  }),
  privileges_updated: serverEvent({
    summary: 'The privileges of the own account changed',
    payload: Type.Object({ privileges: Type.Array(Type.String()), authorized: Type.Boolean() }),
  }),
  admin_authorized: serverEvent({
    summary: 'A helper activated the account',
    payload: Type.Object({ adminId: Type.String(), login: Type.String(), authorized: Type.Literal(true) }),
  }),
  force_logout: serverEvent({
    summary: 'The own account was deleted or its password reset; the socket is no longer an admin socket',
    payload: Type.Object({
      reason: Type.Union([Type.Literal('admin_deleted'), Type.Literal('password_reset')]),
    }),
  }),
  audit_new_entry: serverEvent({ summary: 'A new entry of the audit log', payload: AuditEntry }),
  job_progress: serverEvent({
    summary: 'Progress of a background job',
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
      'The first sample of a jingle reached the encoder; keep showing the previous song with its clock stopped',
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
