import type { Config } from '@solstice/adapters'
import { messages, session } from '@solstice/contracts'
import { type Actor, type Audit, type DataStore, findHelper, type Sessions } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import { ADMIN_COOKIE, adminCookie } from './cookie.ts'

export interface SessionListDeps {
  config: Pick<Config, 'isProduction'>
  data: Pick<DataStore, 'admins'>
  sessions: Sessions
  origins: Origins
  audit: Audit
}

/** The sessions of an account: seen and ended by its owner, and by the super admin. */
export function sessionListRoutes(app: FastifyInstance, deps: SessionListDeps): void {
  const { data, sessions, origins, audit } = deps
  const cookie = { origins, isProduction: deps.config.isProduction }

  const recordEnd = async (by: Actor, ended: 'one' | 'others' | 'all', about: object = {}) => {
    await audit.record(by, 'admin_session_end', { ended, ...about })
    return { ok: true as const, message: messages[ended === 'one' ? 'SESSION_ENDED' : 'SESSIONS_ENDED'] }
  }

  implement(app, session.listOwnSessions, async ({ caller }) => ({
    ok: true as const,
    sessions: await sessions.list(caller.adminId, caller.session.id),
  }))

  implement(app, session.endOtherSessions, async ({ caller }) => {
    await sessions.endAll(caller.adminId, caller.session.id)
    return recordEnd(caller, 'others')
  })

  implement(app, session.endOwnSession, async ({ caller, params, request, reply }) => {
    await sessions.end(caller.adminId, params.id)
    if (params.id === caller.session.id) reply.clearCookie(ADMIN_COOKIE, adminCookie(request, cookie))
    return recordEnd(caller, 'one')
  })

  implement(app, session.listSessions, async ({ params }) => {
    await findHelper(data, params.id)
    return { ok: true as const, sessions: await sessions.list(params.id) }
  })

  implement(app, session.endSessions, async ({ caller, params }) => {
    const { login } = await findHelper(data, params.id)
    await sessions.endAll(params.id, null)
    return recordEnd(caller, 'all', { targetAdminId: params.id, login })
  })

  implement(app, session.endSession, async ({ caller, params }) => {
    const { login } = await findHelper(data, params.id)
    await sessions.end(params.id, params.sessionId)
    return recordEnd(caller, 'one', { targetAdminId: params.id, login })
  })
}
