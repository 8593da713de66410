import { type Static, type TSchema, Type } from 'typebox'
import { RadioState, TrackId, User } from './resources.ts'

/** Who may send an event. Like a route, an event without a rule does not register. */
export type EventAccess = 'anyone'

export interface ClientEvent {
  summary: string
  access: EventAccess
  /** The one argument; `null` when the event has none and whatever comes is ignored. */
  payload: TSchema | null
  /** What the callback gets; `null` when the event never calls back. */
  ack: TSchema | null
}

export interface ServerEvent {
  summary: string
  /** `null` when the event carries nothing. */
  payload: TSchema | null
}

const clientEvent = <const E extends ClientEvent>(event: E): E => event
const serverEvent = <const E extends ServerEvent>(event: E): E => event
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const EpochMs = Type.Number({ description: 'epoch ms of the station clock' })

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
    ack: Type.Object({ seek: Type.Number(), duration: Type.Number(), trackId: Nullable(TrackId) }),
  }),
  stream_ping: clientEvent({
    summary: 'The station clock, with the client time echoed',
    access: 'anyone',
    payload: Type.Number({ description: 'clientTs' }),
    ack: Type.Object({ serverTs: EpochMs, clientTs: Type.Number() }),
  }),
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
  stream_track_start: serverEvent({
    summary: 'The first sample of a track reached the encoder',
    payload: Type.Object({ trackId: TrackId, duration: Type.Number(), serverTs: EpochMs }),
  }),
} as const

export type ClientEvents = typeof clientEvents
export type ServerEvents = typeof serverEvents
export type ClientEventName = keyof ClientEvents
export type ServerEventName = keyof ServerEvents
export type ServerPayload<E extends ServerEventName> = ServerEvents[E]['payload'] extends TSchema
  ? Static<ServerEvents[E]['payload']>
  : undefined
export type ClientPayload<E extends ClientEventName> = ClientEvents[E]['payload'] extends TSchema
  ? Static<ClientEvents[E]['payload']>
  : undefined
export type Ack<E extends ClientEventName> = ClientEvents[E]['ack'] extends TSchema
  ? Static<ClientEvents[E]['ack']>
  : undefined
