import { coded } from '@solstice/contracts'
import { holds, type LoggedIn, type StationClock } from '@solstice/station'
import type { Visitor } from '../dispatch.ts'
import type { Live } from '../live/live.ts'

/** A socket that acts for an account. */
export type AdminVisitor = Visitor & { admin: LoggedIn }

/** The sockets of this replica that act for accounts, each until its session expires. */
export interface AdminRegistry {
  /** Makes a socket act for an account as it is now. */
  register(who: Visitor, admin: LoggedIn): void
  /** Makes it an ordinary listener again. */
  resign(who: Visitor): void
  /** Does the same, and says that the session is invalid. */
  rejectSession(who: Visitor): void
  /** To be called when a socket is gone. */
  forget(who: Visitor): void
  has(who: Visitor): boolean
  /** A copy: sockets may resign while it is walked. */
  sockets(): AdminVisitor[]
  close(): void
}

export function createAdminRegistry(deps: {
  live: Pick<Live, 'adminChanged'>
  clock: StationClock
}): AdminRegistry {
  const { live, clock } = deps
  const registered = new Set<AdminVisitor>()

  // One timer, for the session that expires first.
  let expiry: NodeJS.Timeout | undefined
  const awaitExpiry = () => {
    clearTimeout(expiry)
    const firstMs = Math.min(...[...registered].map(({ admin }) => admin.session.expiresAtMs))
    if (firstMs !== Number.POSITIVE_INFINITY) expiry = setTimeout(expire, Math.ceil(firstMs - clock.nowMs()))
  }
  const expire = () => {
    const expired = [...registered].filter(({ admin }) => admin.session.expiresAtMs <= clock.nowMs())
    for (const who of expired) rejectSession(who)
    awaitExpiry()
  }

  const forget = (who: Visitor) => {
    registered.delete(who as AdminVisitor)
    who.admin = null
    awaitExpiry()
  }
  const resign = (who: Visitor) => {
    const before = who.admin
    forget(who)
    live.adminChanged(who, before)
    who.updateRooms()
    who.slot.demote()
  }
  const rejectSession = (who: Visitor) => {
    resign(who)
    who.send('admin_error', JSON.stringify(coded('ADMIN_INVALID_SESSION')))
  }

  return {
    register(who, admin) {
      who.admin = admin
      registered.add(who as AdminVisitor)
      awaitExpiry()
      who.updateRooms()
      const { adminId, role } = admin
      const presence = { adminId, isSuper: role === 'super_admin', mayAnswer: holds(admin, 'queue_manage') }
      who.slot.promote(presence, () => {
        resign(who)
        who.send('admin_error', JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
      })
    },
    resign,
    rejectSession,
    forget,
    has: (who) => registered.has(who as AdminVisitor),
    sockets: () => [...registered],
    close: () => clearTimeout(expiry),
  }
}
