import { nowPlaying } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import type { Tokens } from '../../auth/tokens.ts'
import { isUnchanged } from '../../http/conditional.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import { perAddress } from '../../limits/per-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'
import type { NowPlayingEvents } from '../../now-playing/events.ts'
import type { Snapshots } from '../../now-playing/snapshots.ts'

export interface NowPlayingDeps {
  config: { trustProxyHops: number }
  snapshots: Snapshots
  events: NowPlayingEvents
  origins: Pick<Origins, 'ownOrigin'>
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'nowPlaying'>
}

/** Tells other sites and programs what is on air: on request, and as it changes. */
export function nowPlayingRoutes(app: FastifyInstance, deps: NowPlayingDeps): void {
  const { snapshots, events, origins } = deps
  const limit: Parameters<typeof implement>[3] = {
    limit: perAddress(deps, deps.limits.nowPlaying),
  }

  implement(
    app,
    nowPlaying.getNowPlaying,
    ({ request, reply }) => {
      const snapshot = snapshots.now()
      reply.header('etag', snapshot.etag).header('cache-control', 'public, max-age=1')
      if (isUnchanged(request, snapshot.etag)) return reply.code(304).send()
      return snapshot.replyFor(origins.ownOrigin(request.raw))
    },
    limit,
  )

  implement(
    app,
    nowPlaying.getNowPlayingEvents,
    ({ request, reply }) => {
      events.serve(request, reply)
      request.log.info({ req: request }, 'now playing followed')
      return reply
    },
    limit,
  )
}
