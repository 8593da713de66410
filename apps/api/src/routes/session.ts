import { createHash } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Config } from '@solstice/adapters'
import { messages, privileges, session } from '@solstice/contracts'
import {
  type AccountDeps,
  type Actor,
  accountIdOf,
  activate,
  changeLogin,
  changePassword,
  createHelper,
  deleteHelper,
  Failure,
  findHelper,
  type LoginLog,
  listHelpers,
  logIn,
  loginKey,
  providerNetworkOf,
  resetPassword,
  type Sessions,
  type SuperAdmin,
  setPrivileges,
} from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ADMIN_TOKEN_TTL_S, type AdminTokens } from '../auth/admin-tokens.ts'
import { adminTokensOf } from '../auth/credentials.ts'
import type { Tokens } from '../auth/tokens.ts'
import { implement } from '../http/implement.ts'
import { nameAccount } from '../http/request-log.ts'
import { addressOf, clientOf, type Origins } from '../limits/client-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'

export interface SessionDeps extends AccountDeps {
  config: Pick<Config, 'isProduction' | 'trustProxyHops'>
  superAdmin: SuperAdmin | null
  sessions: Sessions
  adminTokens: AdminTokens
  tokens: Tokens
  origins: Origins
  loginLog: LoginLog
  limits: Pick<RequestLimits, 'login'>
}

/** Logging in and out, and everything about accounts. In production nobody is told a token but by the cookie. */
export function sessionRoutes(app: FastifyInstance, deps: SessionDeps): void {
  const { data, sessions, adminTokens, tokens, origins, audit, loginLog, clock } = deps
  const limits = deps.limits.login
  const { isProduction, trustProxyHops } = deps.config

  const cookie = ({ raw, headers }: FastifyRequest): CookieSerializeOptions => {
    // What we take for one site may be two for the browser, which then says so.
    const hasToTravel = origins.allowsOtherSites(raw) || headers['sec-fetch-site'] === 'cross-site'
    return {
      httpOnly: true,
      path: '/',
      secure: isProduction,
      sameSite: isProduction && hasToTravel ? 'none' : 'lax',
    }
  }

  /** Whoever was here before is not kept out by what others try. */
  const limitStrangers = async (
    { login, adminId }: { login: string; adminId: string | null },
    address: string,
    reply: FastifyReply,
  ) => {
    if (adminId !== null && (await sessions.isKnown(adminId, address))) return
    await limits.account(createHash('sha256').update(loginKey(login)).digest('base64url'), reply)
    await limits.station('all', reply)
  }

  implement(
    app,
    session.login,
    async ({ body: { login, password }, request, reply }) => {
      if (!login?.trim()) throw new Failure('BAD_REQUEST', { field: 'login', reason: 'missing' })
      if (!password) throw new Failure('BAD_REQUEST', { field: 'password', reason: 'missing' })
      const from = clientOf(request.raw, trustProxyHops)
      const adminId = await accountIdOf(deps, login)
      nameAccount(request, adminId)
      await limitStrangers({ login, adminId }, from.address, reply)
      const sinceMs = clock.nowMs()
      const admin = await logIn(deps, { login, password }).catch((error) => {
        const isWrong = error instanceof Failure && error.code === 'INVALID_CREDENTIALS'
        if (isWrong) loginLog.note('admin_login_failed', adminId, from.address)
        throw error
      })
      const token = adminTokens.issue(admin)
      await sessions.begin(adminTokens.read(token)!, from, sinceMs)
      loginLog.note('admin_login', admin.adminId, from.address)
      reply.setCookie('adminToken', token, { ...cookie(request), maxAge: ADMIN_TOKEN_TTL_S })
      return { ok: true as const, ...(!isProduction && { token }) }
    },
    // By uid, which stands for an address, or for the network of an IPv6 address, without telling it.
    {
      limit: async ({ raw }, reply) => {
        const address = addressOf(raw, trustProxyHops)
        await limits.address(tokens.uidOf(address), reply)
        await limits.provider(tokens.uidOf(providerNetworkOf(address)), reply)
      },
    },
  )

  implement(app, session.logout, async ({ request, reply }) => {
    reply.clearCookie('adminToken', cookie(request))
    for (const token of adminTokensOf(request)) {
      const own = adminTokens.read(token)
      if (!own) continue
      nameAccount(request, own.adminId)
      if (await sessions.logOut(own))
        loginLog.note('admin_logout', own.adminId, addressOf(request.raw, trustProxyHops))
    }
    return { ok: true as const }
  })

  implement(app, session.verify, ({ caller, request }) => {
    const { role, adminId, login, authorized } = caller
    const token = adminTokensOf(request).find(
      (candidate) => adminTokens.read(candidate)?.id === caller.session.id,
    )
    return {
      ok: true as const,
      role,
      adminId,
      login,
      privileges: [...caller.privileges],
      authorized,
      ...(!isProduction && { token }),
    }
  })

  implement(app, session.listAdmins, async () => ({
    ok: true as const,
    admins: await listHelpers(data),
    allPrivileges: [...privileges],
  }))

  implement(app, session.createAdmin, async ({ caller, body }) => ({
    ok: true as const,
    admin: await createHelper(deps, caller, { ...body, privileges: body.privileges ?? [] }),
    message: messages.ADMIN_CREATED,
  }))

  implement(app, session.deleteAdmin, async ({ caller, params }) => {
    await deleteHelper(deps, caller, params.id)
    return { ok: true as const, message: messages.ADMIN_DELETED }
  })

  implement(app, session.setPrivileges, async ({ caller, params, body }) => ({
    ok: true as const,
    privileges: await setPrivileges(deps, caller, { adminId: params.id, wanted: body.privileges }),
    message: messages.PRIVILEGES_SAVED,
  }))

  implement(app, session.resetPassword, async ({ caller, params, body }) => {
    await resetPassword(deps, caller, { adminId: params.id, newPassword: body.newPassword })
    return { ok: true as const, message: messages.PASSWORD_RESET }
  })

  implement(app, session.activateSelf, async ({ caller, body, reply }) => {
    await limits.own(caller.adminId, reply)
    await activate(deps, caller, body)
    return { ok: true as const, message: messages.ACCOUNT_ACTIVATED }
  })

  implement(app, session.changeOwnLogin, async ({ caller, body, reply }) => {
    await limits.own(caller.adminId, reply)
    await changeLogin(deps, caller, body)
    return { ok: true as const, message: messages.LOGIN_CHANGED }
  })

  implement(app, session.changeOwnPassword, async ({ caller, body, reply }) => {
    await limits.own(caller.adminId, reply)
    await changePassword(deps, caller, body)
    return { ok: true as const, message: messages.PASSWORD_CHANGED }
  })

  /** Writes down what was ended, and answers. */
  const answerEnded = async (by: Actor, ended: 'one' | 'others' | 'all', about: object = {}) => {
    await audit.record(by, 'admin_session_end', { ended, ...about })
    return { ok: true as const, message: messages[ended === 'one' ? 'SESSION_ENDED' : 'SESSIONS_ENDED'] }
  }

  implement(app, session.listOwnSessions, async ({ caller }) => ({
    ok: true as const,
    sessions: await sessions.list(caller.adminId, caller.session.id),
  }))

  implement(app, session.endOtherSessions, async ({ caller }) => {
    await sessions.endAll(caller.adminId, caller.session.id)
    return answerEnded(caller, 'others')
  })

  implement(app, session.endOwnSession, async ({ caller, params, request, reply }) => {
    await sessions.end(caller.adminId, params.id)
    if (params.id === caller.session.id) reply.clearCookie('adminToken', cookie(request))
    return answerEnded(caller, 'one')
  })

  implement(app, session.listSessions, async ({ params }) => {
    await findHelper(data, params.id)
    return { ok: true as const, sessions: await sessions.list(params.id) }
  })

  implement(app, session.endSessions, async ({ caller, params }) => {
    const { login } = await findHelper(data, params.id)
    await sessions.endAll(params.id, null)
    return answerEnded(caller, 'all', { targetAdminId: params.id, login })
  })

  implement(app, session.endSession, async ({ caller, params }) => {
    const { login } = await findHelper(data, params.id)
    await sessions.end(params.id, params.sessionId)
    return answerEnded(caller, 'one', { targetAdminId: params.id, login })
  })
}
