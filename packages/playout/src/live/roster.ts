import type { GuestRequest, LiveRole, Participant, PendingGuest } from '@solstice/contracts'
import { isHost } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'

/** Who is on microphone, as everybody on the air and the moderators are shown it. */
export function liveRoster({ live }: PlayoutState): Participant[] {
  return live.participants.map(({ socketId, name, role, isMuted }) => ({
    id: socketId,
    login: name,
    role,
    muted: isMuted,
  }))
}

/** Who asks to come on the air, in the order in which they came. @param aheadMs as `projectSync` says. */
export function guestQueue({ live }: PlayoutState, aheadMs = 0): GuestRequest[] {
  return live.requests.map(({ uid, nickname, addedAtMs }) => ({
    uid,
    nickname,
    addedAt: Math.round(addedAtMs - aheadMs),
  }))
}

/** Who may come on the air and has not come yet. */
export function pendingGuests({ live }: PlayoutState): PendingGuest[] {
  return live.approvals.map(({ socketId, nickname, role }) => ({ id: socketId, nickname, role }))
}

/** The access code, as those who may know it are shown it. @param aheadMs as `projectSync` says. */
export function shownCode(
  { live: { code } }: PlayoutState,
  nowMs: number,
  aheadMs = 0,
): { code: string; expiresAt: number } | { code: null } {
  return code && code.expiresAtMs > nowMs
    ? { code: code.code, expiresAt: Math.round(code.expiresAtMs - aheadMs) }
    : { code: null }
}

/** At least one host is on the air. */
export function isHostOnline({ live }: Pick<PlayoutState, 'live'>): boolean {
  return live.participants.some(isHost)
}

/** As what a socket is on the air; null = it is not. */
export function liveRoleOf({ live }: PlayoutState, socketId: string): LiveRole | null {
  return live.participants.find((participant) => participant.socketId === socketId)?.role ?? null
}
