import { Type } from 'typebox'
import { Localized } from '../localized.ts'
import {
  AccessCode,
  BackgroundMode,
  BanEntry,
  GuestRequest,
  LiveRole,
  Participant,
  PendingGuest,
} from '../resources/live.ts'
import { nullable, StationTimeMs } from '../resources/schema.ts'
import { clientEvent } from './event.ts'

const SocketId = Type.String({ minLength: 1, maxLength: 100 })

/** The refusal of a callback: a text in both languages, with its code. */
const Refusal = Type.Object({
  error: Type.Intersect([Localized, Type.Object({ code: Type.Optional(Type.String()) })]),
})
const Done = Type.Object({ ok: Type.Literal(true) })
const DoneOrRefusal = Type.Union([Done, Refusal])
const Target = Type.Object({ targetId: SocketId })
const MuteTarget = Type.Object({ targetId: SocketId, muted: Type.Boolean() })
const Nickname = Type.String({ maxLength: 1_000, description: 'trimmed, cut at 32 characters' })
const Life = Type.Object({ ttlHours: Type.Optional(Type.Number({ description: '1–168, default 8' })) })
const NewAccessCode = Type.Union([
  Type.Object({ ok: Type.Literal(true), code: Type.String(), expiresAt: StationTimeMs }),
  Refusal,
])
const Page = Type.Object({ offset: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) })
const BackgroundTrack = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  mode: Type.Union([Type.Literal('day'), Type.Literal('night')]),
  duration: nullable(Type.Number()),
  used: Type.Boolean(),
  createdAt: StationTimeMs,
})

/** Events of hosts, guests and moderators; refused or dropped while hosting is off. */
export const liveClientEvents = {
  admin_go_live: clientEvent({
    summary:
      'Goes on air as a host. An account can be on air from one socket only: others get `LIVE_ELSEWHERE`, or move the session with `takeOver`',
    access: { all: ['radio_host'] },
    payload: Type.Object({ takeOver: Type.Optional(Type.Boolean()) }),
    ack: Type.Union([
      Type.Object({
        ok: Type.Literal(true),
        queuePaused: Type.Boolean(),
        hosts: Type.Array(Participant),
        pendingGuests: Type.Array(PendingGuest),
        guestRequests: Type.Array(GuestRequest),
        backgroundMusicMode: BackgroundMode,
        selectedBackgroundMusicId: nullable(Type.String()),
      }),
      Done,
      Refusal,
    ]),
  }),
  admin_leave_live: clientEvent({
    summary: 'Leaves the air as a host',
    access: 'live',
    payload: null,
    ack: null,
  }),
  host_mic_toggle: clientEvent({
    summary: 'Switches the own microphone on or off',
    access: 'live',
    payload: Type.Object({ on: Type.Boolean() }),
    ack: null,
  }),
  host_mic_gain: clientEvent({
    summary: 'Sets the level of the own microphone in the mix: 2 to 7, default 5',
    access: 'live',
    payload: Type.Object({ gain: Type.Number() }),
    ack: null,
  }),
  host_audio_chunk: clientEvent({
    summary:
      'Sends the next piece of the own WebM/Opus recording, at most 256 KiB; dropped while the microphone is off',
    access: 'live',
    payload: Type.Refine(
      Type.Unsafe<Uint8Array>({ description: 'binary' }),
      (piece) => piece instanceof Uint8Array,
    ),
    ack: null,
  }),
  host_pause_queue: clientEvent({
    summary: 'Pauses the queue for a chat, now or after the song. Answered by `host_queue_pause_state`',
    access: 'host',
    payload: Type.Object({
      when: Type.Optional(Type.Union([Type.Literal('now'), Type.Literal('afterTrack')])),
    }),
    ack: null,
  }),
  host_resume_queue: clientEvent({
    summary: 'Resumes the queue. Answered by `host_queue_pause_state`',
    access: 'host',
    payload: null,
    ack: null,
  }),
  host_get_background_music_list: clientEvent({
    summary: 'Returns a page of the background music of the mode; empty for an admin who is not on air',
    access: 'admin',
    payload: Page,
    ack: Type.Object({
      items: Type.Array(BackgroundTrack),
      total: Type.Integer(),
      mode: Type.Optional(Type.Union([Type.Literal('day'), Type.Literal('night')])),
    }),
  }),
  host_set_background_music: clientEvent({
    summary:
      'Chooses the background music under chats, if the settings leave it to the hosts; null means none',
    access: 'host',
    payload: Type.Object({ trackId: nullable(Type.String({ maxLength: 100 })) }),
    ack: DoneOrRefusal,
  }),
  host_guest_mute: clientEvent({
    summary: 'Mutes or unmutes a guest',
    access: 'host',
    payload: MuteTarget,
    ack: DoneOrRefusal,
  }),
  host_guest_kick: clientEvent({
    summary: 'Takes a guest off the air',
    access: 'host',
    payload: Target,
    ack: DoneOrRefusal,
  }),
  guest_check_ban: clientEvent({
    summary: 'Returns whether the own address is banned from the air',
    access: 'anyone',
    payload: null,
    ack: Type.Object({ banned: Type.Boolean() }),
  }),
  guest_request: clientEvent({
    summary: 'Asks to go on air as a guest',
    access: 'anyone',
    payload: Type.Object({ nickname: Nickname }),
    ack: Type.Union([
      Done,
      Type.Object({
        error: Type.Union([
          Type.Literal('special_guest_active'),
          Type.Literal('no_admin'),
          Type.Literal('room_full'),
        ]),
      }),
      Type.Object({ error: Type.Literal('cooldown'), secsLeft: Type.Integer() }),
      Refusal,
    ]),
  }),
  admin_guest_action: clientEvent({
    summary: 'Accepts or rejects the request of a guest',
    access: { all: ['radio_host'] },
    payload: Type.Object({
      uid: Type.String({ maxLength: 100 }),
      action: Type.Union([Type.Literal('accept'), Type.Literal('reject')]),
    }),
    ack: DoneOrRefusal,
  }),
  guest_connect: clientEvent({
    summary: 'Goes on air as a guest after approval',
    access: 'anyone',
    payload: null,
    ack: Type.Union([
      Type.Object({
        ok: Type.Literal(true),
        role: LiveRole,
        nickname: Type.String(),
        expiresAt: StationTimeMs,
      }),
      Refusal,
    ]),
  }),
  guest_leave_live: clientEvent({
    summary: 'Leaves the air as a guest',
    access: 'live',
    payload: null,
    ack: null,
  }),
  special_guest_connect: clientEvent({
    summary: 'Redeems an access code; a valid one lets the guest go on air without a request',
    access: 'anyone',
    payload: Type.Object({ code: Type.String({ maxLength: 100 }), nickname: Nickname }),
    ack: DoneOrRefusal,
  }),
  moderator_get_guest_code: clientEvent({
    summary: 'Returns the access code for special guests, if there is one',
    access: { any: ['radio_host', 'radio_moderator'] },
    payload: null,
    ack: Type.Union([AccessCode, Refusal]),
  }),
  moderator_generate_guest_code: clientEvent({
    summary: 'Creates an access code if there is none',
    access: { any: ['radio_host', 'radio_moderator'] },
    payload: Life,
    ack: NewAccessCode,
  }),
  moderator_regenerate_guest_code: clientEvent({
    summary: 'Replaces the access code with a new one',
    access: { any: ['radio_host', 'radio_moderator'] },
    payload: Life,
    ack: NewAccessCode,
  }),
  moderator_deactivate_guest_code: clientEvent({
    summary: 'Revokes the access code',
    access: { any: ['radio_host', 'radio_moderator'] },
    payload: null,
    ack: DoneOrRefusal,
  }),
  moderator_get_live_roster: clientEvent({
    summary: 'Returns everyone on air; empty for an admin who is not a moderator',
    access: 'admin',
    payload: null,
    ack: Type.Object({ roster: Type.Array(Participant), hostsOnline: Type.Boolean() }),
  }),
  moderator_mute: clientEvent({
    summary: 'Mutes or unmutes anyone on air',
    access: { all: ['radio_moderator'] },
    payload: MuteTarget,
    ack: DoneOrRefusal,
  }),
  moderator_kick: clientEvent({
    summary: "Takes anyone off the air; a special guest's access code is revoked too",
    access: { all: ['radio_moderator'] },
    payload: Target,
    ack: DoneOrRefusal,
  }),
  moderator_ban_participant: clientEvent({
    summary: 'Takes an ordinary guest off the air and bans the address',
    access: { all: ['radio_moderator'] },
    payload: Target,
    ack: DoneOrRefusal,
  }),
  moderator_get_banlist: clientEvent({
    summary: 'Returns a page of the banned addresses, newest first',
    access: { all: ['radio_moderator'] },
    payload: Page,
    ack: Type.Union([Type.Object({ list: Type.Array(BanEntry), total: Type.Integer() }), Refusal]),
  }),
  moderator_ban_ip: clientEvent({
    summary: 'Bans an address and takes ordinary guests from that address off the air',
    access: { all: ['radio_moderator'] },
    payload: Type.Object({
      ip: Type.String({ maxLength: 100 }),
      nickname: Type.Optional(nullable(Type.String({ maxLength: 1_000 }))),
    }),
    ack: Type.Union([Type.Object({ ok: Type.Literal(true), entry: BanEntry }), Refusal]),
  }),
  moderator_unban_ip: clientEvent({
    summary: 'Lifts the ban of an address',
    access: { all: ['radio_moderator'] },
    payload: Type.Object({ ip: Type.String({ maxLength: 100 }) }),
    ack: DoneOrRefusal,
  }),
} as const
