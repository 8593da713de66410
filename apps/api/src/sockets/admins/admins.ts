import type { Channel } from '@solstice/adapters'
import { type PlayoutState, trackRequestList } from '@solstice/playout'
import type { Admin, Announcer, Session, Sessions, WallClock } from '@solstice/station'
import { Failure, holds, serialise } from '@solstice/station'
import type { Logger } from 'pino'
import type { AdminTokens } from '../../auth/admin-tokens.ts'
import { codedFailure, type Handlers, type Visitor } from '../dispatch.ts'
import type { Live } from '../live/live.ts'
import type { Roster } from '../presence/roster.ts'
import { nextJingleOf } from '../queue/next-jingle.ts'
import { followAccounts } from './accounts.ts'
import { createAdminRegistry } from './registry.ts'

/** The sockets of this replica that are admins, and what they may do as their accounts are now. */
export interface AdminSockets {
  handlers: Pick<Handlers, 'admin_active'>
  /** To be called when a socket is gone. */
  forget(who: Visitor): void
  close(): void
}

/**
 * @param deps.airNow the air of this moment; null before any state came.
 * @param deps.accountNews the channel that announces changed accounts.
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
  const registry = createAdminRegistry(deps)
  const tellQueue = (who: Visitor) => who.send('next_jingle_update', nextJingleOf(airNow()))
  const requests = () => trackRequestList(airNow()?.trackRequests ?? [], clock.aheadMs())
  const isEnded = async (session: Session) =>
    session.expiresAtMs <= clock.nowMs() || (await sessions.isOver(session))
  // In order, so that a change of an account never overtakes a socket that is just becoming its admin.
  const inTurn = serialise()
  const stopFollowing = followAccounts({ ...deps, registry, isEnded, requests, tellQueue, inTurn })

  const activate = async (who: Visitor, session: Session) => {
    const admin = await findAdmin(session.adminId)
    const isValid = admin !== null && !(await isEnded(session))
    if (!who.isConnected) return
    if (!isValid) return registry.rejectSession(who)
    const before = who.admin
    registry.register(who, { ...admin, session })
    who.send('usersUpdate', roster.list())
    who.send('admin_online', roster.isAdminOnline)
    const { role, privileges, authorized } = admin
    who.send('admin_confirmed', { role, privileges: [...privileges], authorized })
    if (authorized && holds(admin, 'queue_manage')) tellQueue(who)
    announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', requests())
    live.adminChanged(who, before)
  }

  return {
    handlers: {
      admin_active: {
        async answer(who, given) {
          const token = typeof given === 'string' && given ? given : who.cookieToken
          const session = token ? adminTokens.read(token) : null
          const become = async () => (session === null ? registry.rejectSession(who) : activate(who, session))
          await inTurn(become).catch((error) => {
            log.error({ err: error }, 'admin could not be confirmed')
            who.send('admin_error', JSON.stringify(codedFailure(error)))
          })
        },
        // A text that is too long is an invalid token; anything but a text is a malformed event.
        refuse(who, payload) {
          if (typeof payload !== 'string')
            throw new Failure('BAD_REQUEST', { field: 'admin_active', reason: 'bad_request' })
          registry.rejectSession(who)
          return undefined
        },
      },
    },
    forget: registry.forget,
    close() {
      registry.close()
      stopFollowing()
    },
  }
}
