import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import { capabilitiesOf } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { createGate, type Gate } from '../../../apps/api/src/auth/access.ts'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { createTokens } from '../../../apps/api/src/auth/tokens.ts'
import { createOrigins } from '../../../apps/api/src/limits/client-address.ts'

/** Dependencies of a bare app's routes, with no accounts. */
export async function openGate(app: FastifyInstance): Promise<Gate> {
  await app.register(cookie)
  await app.register(jwt, { secret: 's' })
  return createGate({
    tokens: createTokens({ artTokenSecret: 's', artTokenTtlS: 3600, audioTokenTtlS: 900 }),
    adminTokens: createAdminTokens(app.jwt, 's', { nowMs: Date.now }),
    findAdmin: async () => null,
    sessions: { resume: async () => false },
    clientOf: () => ({ address: '', userAgent: '' }),
    origins: createOrigins({ publicServerUrl: '', clientOrigins: [], trustProxyHops: 0 }),
    capabilities: capabilitiesOf({
      ephemeralStorage: true,
      dataProvider: 'json',
      mediaStorage: 'local',
      streamMode: false,
      radioHostsMode: false,
      webPush: true,
    }),
    clock: { nowMs: () => 0 },
  })
}
