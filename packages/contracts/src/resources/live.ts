import { type Static, Type } from 'typebox'
import { StationTimeMs } from './schema.ts'

export const LiveRole = Type.Union([
  Type.Literal('host'),
  Type.Literal('specialGuest'),
  Type.Literal('guest'),
])
export type LiveRole = Static<typeof LiveRole>

/** Somebody on microphone. */
export const Participant = Type.Object({
  id: Type.String({ description: 'socket id' }),
  login: Type.String({ description: 'login of a host, nickname of a guest' }),
  role: LiveRole,
  muted: Type.Boolean(),
})
export type Participant = Static<typeof Participant>

const Loudness = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'as a part of full scale, which is that of the recording at the default gain',
})

/** How loud somebody's microphone is: with its gain, and 0 while muted. */
export const SpeakerLevel = Type.Object({
  id: Type.String({ description: 'as in `live_hosts_roster`' }),
  peak: Loudness,
  rms: Loudness,
})
export type SpeakerLevel = Static<typeof SpeakerLevel>

/** The end of a guest's time on the air. */
export const GuestTime = Type.Object({
  id: Type.String({ description: 'as in `live_hosts_roster`' }),
  endsAt: StationTimeMs,
})
export type GuestTime = Static<typeof GuestTime>

/** A listener who asks to come on the air. */
export const GuestRequest = Type.Object({
  uid: Type.String(),
  nickname: Type.String(),
  addedAt: StationTimeMs,
})
export type GuestRequest = Static<typeof GuestRequest>
/** A guest who may come on the air and has not come yet; `id` is the socket. */
export const PendingGuest = Type.Object({
  id: Type.String(),
  nickname: Type.String(),
  role: Type.Union([Type.Literal('guest'), Type.Literal('specialGuest')]),
})
export type PendingGuest = Static<typeof PendingGuest>
export const BackgroundMode = Type.Union([Type.Literal('random'), Type.Literal('hostChoice')])

/** An address that may not come on the air. */
export const BanEntry = Type.Object({
  ip: Type.String(),
  nickname: Type.String(),
  bannedAt: StationTimeMs,
  bannedBy: Type.String({ description: 'login of the moderator' }),
})
export type BanEntry = Static<typeof BanEntry>

/** The access code for special guests; null while there is none. */
export const AccessCode = Type.Union([
  Type.Object({ code: Type.String(), expiresAt: StationTimeMs }),
  Type.Object({ code: Type.Null() }),
])
