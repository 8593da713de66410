import type { LiveRole } from '@solstice/contracts'

/** Reason for which a participant went off the air; `self` also when the socket closed. */
export type LiveEnd = 'self' | 'timeout' | 'no_hosts' | 'kick' | 'ban' | 'session_replaced'

/** A socket that may speak, and its connection. */
export interface Speaker {
  /** A person's rights on the air end with this socket. */
  socketId: string
  /** The API process that holds the socket; the socket ends with it. */
  replica: string
  uid: string
  /** As returned by `clientAddress`. */
  address: string
}

/** A person on the air. */
export interface Participant extends Speaker {
  role: LiveRole
  /** The account of a host; null for a guest. */
  adminId: string | null
  /** Login of a host, nickname of a guest. */
  name: string
  isMicOn: boolean
  /** Gain of the microphone in the mix, 2 to 7. */
  gain: number
  isMuted: boolean
  sinceMs: number
  /** End of a guest's time; null for a host. */
  endsAtMs: number | null
}

/** A listener who asks to come on the air. */
export interface GuestRequest extends Speaker {
  nickname: string
  /** Time of the last request. */
  addedAtMs: number
  /** null = never. */
  expiresAtMs: number | null
}

/** Permission to come on the air, given by a host or by the access code and not used yet. */
export interface Approval extends Speaker {
  nickname: string
  role: 'guest' | 'specialGuest'
  expiresAtMs: number
}

/** The code that lets special guests in. */
export interface AccessCode {
  code: string
  expiresAtMs: number
}

/** People on the air, and those who want to be (rules H). */
export interface Live {
  /** In order of arrival. */
  participants: Participant[]
  requests: GuestRequest[]
  approvals: Approval[]
  /** Cooldowns of guests who must wait before they ask again; in order of time. */
  guestCooldowns: { uid: string; sinceMs: number }[]
  /** The last ends of live sessions, with reasons; in order of time. */
  ends: { socketId: string; reason: LiveEnd }[]
  code: AccessCode | null
  /** Wrong codes by uid; in order of time. A uid stands for a whole household, which an address may not. */
  codeFailures: { uid: string; atMs: number[] }[]
}

/** The hosting settings of this station. */
export interface Hosting {
  isOn: boolean
  /** Hosts and guests together. */
  slots: number
  /** Life of an unanswered request, and the pause between two requests of one guest; 0 = no limit. */
  guestRequestExpiryMs: number
  guestCooldownMs: number
  /** Longest stay of a guest. */
  guestMs: number
  specialGuestMs: number
}

export const isHost = ({ role }: { role: LiveRole }) => role === 'host'

export const nobodyLive: Live = {
  participants: [],
  requests: [],
  approvals: [],
  guestCooldowns: [],
  ends: [],
  code: null,
  codeFailures: [],
}

/** Nobody may come on the air: before the `hosting` fact. */
export const noHosting: Hosting = {
  isOn: false,
  slots: 0,
  guestRequestExpiryMs: 0,
  guestCooldownMs: 0,
  guestMs: 0,
  specialGuestMs: 0,
}
