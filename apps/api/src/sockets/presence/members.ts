import type { User } from '@solstice/contracts'

/** One connection in the roster, as replicas tell each other about it. */
export interface Member {
  user: User
  sinceMs: number
  admin?: AdminMember
}

export interface AdminMember {
  adminId: string
  /** True when it may answer what listeners ask for. */
  mayAnswer: boolean
  /** Orders the slots of an account by age; the oldest has the lowest. */
  rank: number
  socketId: string
}

/** An admin who is connected, as far as the roster needs to know it. */
export interface AdminPresence {
  adminId: string
  isSuper: boolean
  /** True when it may answer what listeners ask for. */
  mayAnswer: boolean
}

/**
 * The roster that clients see: admins first, each account once, then the newest listeners.
 *
 * @param isLive whether a socket is on the air.
 */
export function listUsers(
  members: readonly Member[],
  limit: number,
  isLive: (socketId: string) => boolean,
): User[] {
  const accountsOnAir = new Set(
    members.flatMap(({ admin }) => (admin && isLive(admin.socketId) ? admin.adminId : [])),
  )
  return eachAccountOnce(members)
    .sort((a, b) => Number(!!b.admin) - Number(!!a.admin) || b.sinceMs - a.sinceMs)
    .slice(0, limit)
    .map(({ user, admin }) => (admin && accountsOnAir.has(admin.adminId) ? { ...user, isOnAir: true } : user))
}

/** The lowest-ranked slots of an account beyond `max`, leaving out those on the air. */
export function surplusSlots(
  members: readonly Member[],
  adminId: string,
  max: number,
  isLive: (socketId: string) => boolean,
): Set<AdminMember> {
  const slots = members.flatMap(({ admin }) => (admin?.adminId === adminId ? admin : []))
  const idle = slots.filter(({ socketId }) => !isLive(socketId)).sort(byRank)
  return new Set(idle.slice(0, Math.max(0, slots.length - max)))
}

/** Keeps the oldest slot of each account, so that a new window changes nothing in the list. */
function eachAccountOnce(members: readonly Member[]): Member[] {
  const oldest = new Map<string, AdminMember>()
  for (const { admin } of members) {
    const known = admin && oldest.get(admin.adminId)
    if (admin && (!known || byRank(admin, known) < 0)) oldest.set(admin.adminId, admin)
  }
  return members.filter(({ admin }) => !admin || oldest.get(admin.adminId) === admin)
}

function byRank(a: AdminMember, b: AdminMember): number {
  return a.rank - b.rank || (a.socketId < b.socketId ? -1 : 1)
}
