import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import type { Config } from '@solstice/adapters'
import type { Capabilities } from '@solstice/contracts'
import {
  type Admin,
  createSessions,
  type DataStore,
  findAdmin,
  type Sessions,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { clientOf, type Origins } from '../limits/client-address.ts'
import { createGate, type Gate } from './access.ts'
import { type AdminTokens, createAdminTokens } from './admin-tokens.ts'
import { createTokens, type Tokens } from './tokens.ts'

/** Tokens, sessions and the access check built on them. */
export interface Auth {
  tokens: Tokens
  adminTokens: AdminTokens
  sessions: Sessions
  /** The account behind an id as it is now, or null. */
  findAdmin: (adminId: string) => Promise<Admin | null>
  gate: Gate
}

/** Registers cookies and JWT on the app. Sessions that are being stored are awaited when it closes. */
export async function openAuth(
  app: FastifyInstance,
  deps: Parameters<typeof createSessions>[0] & {
    config: Config
    data: DataStore
    clock: WallClock
    origins: Origins
    capabilities: Capabilities
  },
): Promise<Auth> {
  const { config } = deps
  await app.register(cookie)
  await app.register(jwt, {
    secret: config.jwtSecret,
    sign: { algorithm: 'HS256' },
    verify: { algorithms: ['HS256'] },
  })
  const sessions = createSessions(deps)
  app.addHook('onClose', () => sessions.settled())
  const auth = {
    tokens: createTokens(config),
    adminTokens: createAdminTokens(app.jwt, config.jwtSecret, deps.clock),
    sessions,
    findAdmin: (adminId: string) => findAdmin(deps.data, config.superAdmin, adminId),
  }
  const gate = createGate({
    ...deps,
    ...auth,
    clientOf: ({ raw }) => clientOf(raw, config.trustProxyHops),
    metricsToken: config.metricsToken,
  })
  return { ...auth, gate }
}
