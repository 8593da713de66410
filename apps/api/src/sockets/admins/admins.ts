import { type Channel, readMessage } from '@solstice/adapters'
import { coded } from '@solstice/contracts'
import { type PlayoutState, suggestionList } from '@solstice/playout'
import {
  type AccountNews,
  type Admin,
  type Announcer,
  Failure,
  holds,
  type LoggedIn,
  type Session,
  type Sessions,
  serialise,
  type WallClock,
} from '@solstice/station'
import type { Logger } from 'pino'
import type { AdminTokens } from '../auth/admin-tokens.ts'
import { codedFailure, type Handlers, type Visitor } from './dispatch.ts'
import type { Live } from './live/live.ts'
import type { Roster } from './presence/roster.ts'

/** Changes of accounts whose news was lost are found so often. */
const READ_EVERY_MS = 30_000

/** Which sockets of this replica are admins, and what they may do, as the accounts are now. */
export interface AdminSockets {
  handlers: Pick<Handlers, 'admin_active'>
  /** To be called when a socket is gone. */
  forget(who: Visitor): void
  close(): void
}

/**
 * @param deps.airNow the air of this moment; null before any state came.
 * @param deps.accountNews the channel on which replicas hear of changed accounts.
 */
export function createAdminSockets(deps: {
  adminTokens: AdminTokens
  sessions: Pick<Sessions, 'isOver'>
  findAdmin: (adminId: string) => Promise<Admin | null>
  roster: Roster
  live: Pick<Live, 'adminChanged'>
  airNow: () => PlayoutState | null
  announcer: Announcer
  clock: WallClock
  accountNews: Channel
  log: Logger
}): AdminSockets {
  const { adminTokens, sessions, findAdmin, roster, live, airNow, announcer, clock, log } = deps
  const registered = new Set<AdminVisitor>()

  // One after another: news of an account never overtakes a socket that is just becoming its admin.
  const inTurn = serialise()

  const register = (who: Visitor, admin: LoggedIn) => {
    who.admin = admin
    registered.add(who as AdminVisitor)
    awaitExpiry()
    who.updateRooms()
    const { adminId, role } = admin
    const presence = { adminId, isSuper: role === 'super_admin', mayAnswer: holds(admin, 'queue_manage') }
    who.slot.dress(presence, () => {
      resign(who)
      who.send('admin_error', JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
    })
  }
  const resign = (who: Visitor) => {
    const before = who.admin
    registered.delete(who as AdminVisitor)
    who.admin = null
    awaitExpiry()
    live.adminChanged(who, before)
    who.updateRooms()
    who.slot.dress(null)
  }

  const suggestions = () => suggestionList(airNow()?.suggestions ?? [], clock.aheadMs())
  const refuseSession = (who: Visitor) => {
    resign(who)
    who.send('admin_error', JSON.stringify(coded('ADMIN_INVALID_SESSION')))
  }
  const isEnded = async (session: Session) =>
    session.expiresAtMs <= clock.nowMs() || (await sessions.isOver(session))
  const activate = async (who: Visitor, session: Session) => {
    const admin = await findAdmin(session.adminId)
    const isGood = admin !== null && !(await isEnded(session))
    if (!who.isConnected) return
    if (!isGood) return refuseSession(who)
    const before = who.admin
    register(who, { ...admin, session })
    who.send('usersUpdate', roster.list())
    who.send('admin_online', roster.isAdminOnline)
    const { role, privileges, authorized } = admin
    who.send('admin_confirmed', { role, privileges: [...privileges], authorized })
    announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', suggestions())
    live.adminChanged(who, before)
  }

  /** Brings a socket into agreement with its account; `kind` is what was said of it, if anything was. */
  const follow = async (who: AdminVisitor, kind?: AccountNews['kind']) => {
    const before = who.admin
    const now = await findAdmin(before.adminId)
    const isOver = await isEnded(before.session)
    if (who.admin !== before) return
    const isGone = kind === 'deleted' || !now
    // Nothing but a reset takes an activation back.
    const isReset = kind === 'password-reset' || (before.authorized && !now?.authorized)
    if (isGone || isReset) {
      who.send('force_logout', { reason: isGone ? 'admin_deleted' : 'password_reset' })
      return resign(who)
    }
    if (isOver) return refuseSession(who)
    const { privileges, authorized } = now
    const isSame = authorized === before.authorized && areEqual(privileges, before.privileges)
    register(who, { ...now, session: before.session })
    if (isSame) return
    who.send('privileges_updated', { privileges: [...privileges], authorized })
    // Until now it was told nothing that admins are told, and showed nothing.
    if (authorized && !before.authorized) who.send('library_updated', undefined)
    if (holds(now, 'queue_manage') && !holds(before, 'queue_manage'))
      who.send('suggestions_update', suggestions())
    live.adminChanged(who, before)
  }
  const followAll = (adminId?: string, kind?: AccountNews['kind']) => {
    inTurn(async () => {
      for (const who of [...registered]) {
        if (adminId === undefined || who.admin.adminId === adminId) await follow(who, kind)
      }
    }).catch((error) => log.warn({ err: error }, 'the accounts of admins cannot be read'))
  }

  // One timer, for the session that expires first.
  let expiry: NodeJS.Timeout | undefined
  const awaitExpiry = () => {
    clearTimeout(expiry)
    const firstMs = Math.min(...[...registered].map(({ admin }) => admin.session.expiresAtMs))
    if (firstMs !== Number.POSITIVE_INFINITY) expiry = setTimeout(expire, Math.ceil(firstMs - clock.nowMs()))
  }
  const expire = () => {
    const expired = [...registered].filter(({ admin }) => admin.session.expiresAtMs <= clock.nowMs())
    for (const who of expired) refuseSession(who)
    awaitExpiry()
  }

  const unhear = deps.accountNews.hear({
    onMessage(message) {
      const { adminId, kind } = (readMessage(message) ?? {}) as Partial<AccountNews>
      if (typeof adminId === 'string') followAll(adminId, kind)
    },
    onCaughtUp: () => followAll(),
  })
  const timer = setInterval(() => followAll(), READ_EVERY_MS)

  return {
    handlers: {
      admin_active: {
        async answer(who, given) {
          const token = typeof given === 'string' && given ? given : who.cookieToken
          const session = token ? adminTokens.read(token) : null
          const become = async () => (session === null ? refuseSession(who) : activate(who, session))
          await inTurn(become).catch((error) => {
            log.error({ err: error }, 'an admin could not be confirmed')
            who.send('admin_error', JSON.stringify(codedFailure(error)))
          })
        },
        // A text that is too long for a token is a bad token; anything else is not even that.
        refuse(who, payload) {
          if (typeof payload !== 'string')
            throw new Failure('BAD_REQUEST', { field: 'admin_active', reason: 'bad_request' })
          refuseSession(who)
          return undefined
        },
      },
    },
    forget(who) {
      registered.delete(who as AdminVisitor)
      who.admin = null
      awaitExpiry()
    },
    close() {
      clearTimeout(expiry)
      clearInterval(timer)
      unhear()
    },
  }
}

type AdminVisitor = Visitor & { admin: LoggedIn }

/** Whether two sets of privileges are the same, whatever their order. */
function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one))
}
