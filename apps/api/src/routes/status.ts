import { status } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import { STATUS_AGE_S, type StationStatus } from '../air/status.ts'
import type { Tokens } from '../auth/tokens.ts'
import { implement } from '../http/implement.ts'
import { addressOf } from '../limits/client-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'

export interface StatusDeps {
  config: { trustProxyHops: number }
  status: StationStatus
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'nowPlaying'>
}

/** How the station is, and was: for anybody. */
export function statusRoutes(app: FastifyInstance, deps: StatusDeps): void {
  const { config, tokens, limits } = deps
  implement(
    app,
    status.getStatus,
    ({ reply }) => {
      reply.header('cache-control', `public, max-age=${STATUS_AGE_S}`)
      return deps.status.now()
    },
    {
      limit: ({ raw }, reply) =>
        limits.nowPlaying(tokens.uidOf(addressOf(raw, config.trustProxyHops)), reply),
    },
  )
}
