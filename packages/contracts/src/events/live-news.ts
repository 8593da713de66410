import { Type } from 'typebox'
import {
  AccessCode,
  GuestRequest,
  GuestTime,
  Participant,
  PendingGuest,
  SpeakerLevel,
} from '../resources/live.ts'
import { nullable, StationTimeMs } from '../resources/schema.ts'
import { serverEvent } from './event.ts'

/** News of live hosting. */
export const liveServerEvents = {
  radio_hosts_online: serverEvent({
    summary: 'Whether a host is on air; sent on connect and on change while hosting is on',
    payload: Type.Boolean(),
  }),
  stream_chat_mode_start: serverEvent({
    summary: 'The queue paused and the hosts are talking',
    payload: Type.Object({ serverTs: StationTimeMs }),
  }),
  stream_chat_mode_end: serverEvent({
    summary: 'The queue resumed after a chat',
    payload: Type.Object({ serverTs: StationTimeMs }),
  }),
  host_queue_pause_state: serverEvent({
    summary: 'Whether the queue is paused, to everyone on air; a refusal goes to the asking host alone',
    payload: Type.Object({
      paused: Type.Boolean(),
      denied: Type.Optional(Type.Literal(true)),
      reason: Type.Optional(Type.Literal('donatedInQueue')),
    }),
  }),
  live_hosts_roster: serverEvent({
    summary: 'Everyone on air; sent to all of them and to moderators',
    payload: Type.Array(Participant),
  }),
  live_levels: serverEvent({
    summary:
      'How loud each microphone that is on was in the last quarter of a second; sent while somebody is heard and once when nobody is, to everyone on air and to moderators. Who is missing is silent',
    payload: Type.Array(SpeakerLevel),
  }),
  live_guest_times: serverEvent({
    summary:
      'When the time of each guest on air is up; sent to everyone on air and to moderators, on change and at first',
    payload: Type.Array(GuestTime),
  }),
  guest_queue_update: serverEvent({
    summary: 'Guests asking to go on air',
    payload: Type.Array(GuestRequest),
  }),
  guest_pending_status: serverEvent({
    summary: 'Approved guests who are not on air yet',
    payload: Type.Array(PendingGuest),
  }),
  guest_request_result: serverEvent({
    summary:
      'The outcome of the own request; `auto` means nobody decided in time, `replaced` that another socket of the same address asked after it',
    payload: Type.Union([
      Type.Object({ accepted: Type.Literal(true), nickname: Type.String() }),
      Type.Object({
        accepted: Type.Literal(false),
        auto: Type.Boolean(),
        reason: Type.Optional(
          Type.Union([
            Type.Literal('room_full'),
            Type.Literal('no_admin'),
            Type.Literal('special_guest_active'),
            Type.Literal('replaced'),
          ]),
        ),
      }),
    ]),
  }),
  guest_code_updated: serverEvent({
    summary: 'The access code for special guests changed or ended',
    payload: AccessCode,
  }),
  host_force_disconnect: serverEvent({
    summary: 'The host was taken off the air, or another socket of the account took over',
    payload: Type.Object({ reason: Type.Union([Type.Literal('kick'), Type.Literal('session_replaced')]) }),
  }),
  guest_force_disconnect: serverEvent({
    summary: 'The guest was taken off the air',
    payload: Type.Object({
      reason: Type.Union([
        Type.Literal('timeout'),
        Type.Literal('no_hosts'),
        Type.Literal('kick'),
        Type.Literal('ban'),
      ]),
    }),
  }),
  moderator_bans_updated: serverEvent({
    summary: 'An address was banned, or its ban lifted; sent to moderators, who fetch the list again',
    payload: null,
  }),
  background_music_now_playing: serverEvent({
    summary: 'The background music now playing; nulls when there is none',
    payload: Type.Object({ trackId: nullable(Type.String()), filename: nullable(Type.String()) }),
  }),
  background_music_selection_changed: serverEvent({
    summary: 'The background music that the hosts chose',
    payload: Type.Object({ trackId: nullable(Type.String()) }),
  }),
  host_mic_restart: serverEvent({
    summary:
      'The decoder of the own microphone restarted; start a new recording, because the decoder needs its header',
    payload: null,
  }),
} as const
