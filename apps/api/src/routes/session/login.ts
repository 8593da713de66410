import { createHash } from 'node:crypto'
import type { Config } from '@solstice/adapters'
import { session } from '@solstice/contracts'
import {
  type AccountDeps,
  accountIdOf,
  Failure,
  type LoginLog,
  logIn,
  loginKey,
  providerNetworkOf,
  type Sessions,
  type SuperAdmin,
} from '@solstice/station'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ADMIN_TOKEN_TTL_S, type AdminTokens } from '../../auth/admin-tokens.ts'
import { adminTokensOf } from '../../auth/credentials.ts'
import type { Tokens } from '../../auth/tokens.ts'
import { implement } from '../../http/implement.ts'
import { nameAccount } from '../../http/request-log.ts'
import { addressOf, clientOf, type Origins } from '../../limits/client-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'
import { ADMIN_COOKIE, adminCookie } from './cookie.ts'

export interface LoginDeps extends AccountDeps {
  config: Pick<Config, 'isProduction' | 'trustProxyHops'>
  superAdmin: SuperAdmin | null
  sessions: Sessions
  adminTokens: AdminTokens
  tokens: Tokens
  origins: Origins
  loginLog: LoginLog
  limits: Pick<RequestLimits, 'login'>
}

/** Logging in and out. In production a token is given out in the cookie only. */
export function loginRoutes(app: FastifyInstance, deps: LoginDeps): void {
  const { sessions, adminTokens, tokens, loginLog, clock } = deps
  const { isProduction, trustProxyHops } = deps.config
  const limits = deps.limits.login
  const cookie = { origins: deps.origins, isProduction }

  implement(
    app,
    session.login,
    async ({ body: { login, password }, request, reply }) => {
      if (!login?.trim()) throw new Failure('BAD_REQUEST', { field: 'login', reason: 'missing' })
      if (!password) throw new Failure('BAD_REQUEST', { field: 'password', reason: 'missing' })
      const from = clientOf(request.raw, trustProxyHops)
      const adminId = await accountIdOf(deps, login)
      nameAccount(request, adminId)
      await limitStrangers(deps, { login, adminId, address: from.address }, reply)
      const sinceMs = clock.nowMs()
      const admin = await logIn(deps, { login, password }).catch((error) => {
        const isWrong = error instanceof Failure && error.code === 'INVALID_CREDENTIALS'
        if (isWrong) loginLog.note('admin_login_failed', adminId, from.address)
        throw error
      })
      const token = adminTokens.issue(admin)
      await sessions.begin(adminTokens.read(token)!, from, sinceMs)
      loginLog.note('admin_login', admin.adminId, from.address)
      reply.setCookie(ADMIN_COOKIE, token, { ...adminCookie(request, cookie), maxAge: ADMIN_TOKEN_TTL_S })
      return { ok: true as const, ...(!isProduction && { token }) }
    },
    {
      // By uid, which stands for an address, or the network of an IPv6 address, without revealing it.
      limit: async ({ raw }, reply) => {
        const address = addressOf(raw, trustProxyHops)
        await limits.address(tokens.uidOf(address), reply)
        await limits.provider(tokens.uidOf(providerNetworkOf(address)), reply)
      },
    },
  )

  implement(app, session.logout, async ({ request, reply }) => {
    reply.clearCookie(ADMIN_COOKIE, adminCookie(request, cookie))
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
    const { role, adminId, login, privileges, authorized } = caller
    const isOwn = (candidate: string) => adminTokens.read(candidate)?.id === caller.session.id
    const token = adminTokensOf(request).find(isOwn)
    const account = { role, adminId, login, privileges: [...privileges], authorized }
    return { ok: true as const, ...account, ...(!isProduction && { token }) }
  })
}

/** Limits by login, except from where its owner has logged in before, so that strangers cannot lock the owner out. */
async function limitStrangers(
  { sessions, limits }: Pick<LoginDeps, 'sessions' | 'limits'>,
  { login, adminId, address }: { login: string; adminId: string | null; address: string },
  reply: FastifyReply,
): Promise<void> {
  if (adminId !== null && (await sessions.isKnown(adminId, address))) return
  const key = createHash('sha256').update(loginKey(login)).digest('base64url')
  await limits.login.account(key, reply)
  await limits.login.station('all', reply)
}
