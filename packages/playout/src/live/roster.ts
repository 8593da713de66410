import type { GuestRequest, GuestTime, LiveRole, Participant, PendingGuest } from '@solstice/contracts'
import { isHost } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'

/** The participants, as everybody on the air and the moderators see them. */
export function liveRoster({ live }: PlayoutState): Participant[] {
  return live.participants.map(({ socketId, name, role, isMuted }) => ({
    id: socketId,
    login: name,
    role,
    muted: isMuted,
  }))
}

/** When each guest on the air has to leave it. @param aheadMs as in `projectSync`. */
export function guestTimes({ live }: PlayoutState, aheadMs = 0): GuestTime[] {
  return live.participants.flatMap(({ socketId: id, endsAtMs }) =>
    endsAtMs === null ? [] : [{ id, endsAt: Math.round(endsAtMs - aheadMs) }],
  )
}

/** The guest requests, in order of arrival. @param aheadMs as in `projectSync`. */
export function guestQueue({ live }: PlayoutState, aheadMs = 0): GuestRequest[] {
  return live.requests.map(({ uid, nickname, addedAtMs }) => ({
    uid,
    nickname,
    addedAt: Math.round(addedAtMs - aheadMs),
  }))
}

/** The approved guests who have not come on the air yet. */
export function pendingGuests({ live }: PlayoutState): PendingGuest[] {
  return live.approvals.map(({ socketId, nickname, role }) => ({ id: socketId, nickname, role }))
}

/** The access code, for those who may know it. @param aheadMs as in `projectSync`. */
export function shownCode(
  { live: { code } }: PlayoutState,
  nowMs: number,
  aheadMs = 0,
): { code: string; expiresAt: number } | { code: null } {
  return code && code.expiresAtMs > nowMs
    ? { code: code.code, expiresAt: Math.round(code.expiresAtMs - aheadMs) }
    : { code: null }
}

/** True while at least one host is on the air. */
export function isHostOnline({ live }: Pick<PlayoutState, 'live'>): boolean {
  return live.participants.some(isHost)
}

/** The role of a socket on the air; null = it is not. */
export function liveRoleOf({ live }: PlayoutState, socketId: string): LiveRole | null {
  return live.participants.find((participant) => participant.socketId === socketId)?.role ?? null
}
