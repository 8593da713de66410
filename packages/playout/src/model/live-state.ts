import type { LiveRole } from '@solstice/contracts'

/** Why somebody is no longer on the air; `self` also when the socket is gone. */
export type LiveEnd = 'self' | 'timeout' | 'no_hosts' | 'kick' | 'ban' | 'session_replaced'

/** A socket that may speak, and where it is connected. */
export interface Speaker {
  /** Of the socket: all that a person may do on the air ends with it. */
  socketId: string
  /** The API process that holds the socket; when that is gone, so is the socket. */
  replica: string
  uid: string
  /** As `clientAddress` gives it. */
  address: string
}

/** Somebody on microphone. */
export interface Participant extends Speaker {
  role: LiveRole
  /** The account of a host; null for a guest. */
  adminId: string | null
  /** Login of a host, nickname of a guest. */
  name: string
  isMicOn: boolean
  /** How loud the microphone is mixed, 2 to 7. */
  gain: number
  isMuted: boolean
  sinceMs: number
  /** When the time of a guest is up; null for a host. */
  endsAtMs: number | null
}

/** A listener who asks to come on the air. */
export interface GuestRequest extends Speaker {
  nickname: string
  /** When it was asked for last. */
  addedAtMs: number
  /** null = it waits for as long as it takes. */
  expiresAtMs: number | null
}

/** Who may come on the air, by the decision of a host or with the access code, and has not come yet. */
export interface Approval extends Speaker {
  nickname: string
  role: 'guest' | 'specialGuest'
  expiresAtMs: number
}

/** What special guests show to be let in. */
export interface AccessCode {
  code: string
  expiresAtMs: number
}

/** Who is on microphone, and who wants to be (rules H). */
export interface Live {
  /** In the order in which they came. */
  participants: Participant[]
  requests: GuestRequest[]
  approvals: Approval[]
  /** Guests who have to wait before they ask again, and since when; in order of time. */
  guestCooldowns: { uid: string; sinceMs: number }[]
  /** Who went off the air last, and why; in order of time. */
  ends: { socketId: string; reason: LiveEnd }[]
  code: AccessCode | null
  /** When a wrong code was shown, by whom; in order of time. A uid stands for a whole household, an address may not. */
  codeFailures: { uid: string; atMs: number[] }[]
}

/** How this station has people on the air. */
export interface Hosting {
  isOn: boolean
  /** Hosts and guests together. */
  slots: number
  /** Until a request that nobody answers is given up, and between two of one guest; 0 = no limit. */
  guestRequestExpiryMs: number
  guestCooldownMs: number
  /** How long a guest stays at most. */
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

/** Before the station tells: nobody is let on the air. */
export const noHosting: Hosting = {
  isOn: false,
  slots: 0,
  guestRequestExpiryMs: 0,
  guestCooldownMs: 0,
  guestMs: 0,
  specialGuestMs: 0,
}
