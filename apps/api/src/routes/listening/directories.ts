import { directories, type NowPlaying } from '@solstice/contracts'
import { Failure, type StationClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Tokens } from '../../auth/tokens.ts'
import type { UiSettingsMirror } from '../../background/ui-settings.ts'
import { icecastStatus } from '../../directories/icecast-status.ts'
import { m3u, pls, xspf } from '../../directories/playlists.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import { perAddress } from '../../limits/per-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'
import type { Audience } from '../../now-playing/audience.ts'
import type { Snapshots } from '../../now-playing/snapshots.ts'
import type { AirMirror } from '../../stream/mirror.ts'

const MAX_AGE_S = 1

export interface DirectoryDeps {
  config: { trustProxyHops: number }
  clock: Pick<StationClock, 'nowMs'>
  mirror: Pick<AirMirror, 'isFresh'>
  snapshots: Snapshots
  /** Of each mount, the first one first. */
  audiences: readonly Audience[]
  settings: Pick<UiSettingsMirror, 'directory'>
  origins: Pick<Origins, 'ownOrigin'>
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'nowPlaying'>
}

/** Serves playlists for players, and the status that widgets and directories of stations read. */
export function directoryRoutes(app: FastifyInstance, deps: DirectoryDeps): void {
  const { clock, mirror, snapshots, audiences, settings, origins } = deps
  const options: Parameters<typeof implement>[3] = {
    limit: perAddress(deps, deps.limits.nowPlaying),
  }
  const cached = `public, max-age=${MAX_AGE_S}`

  for (const [route, write] of [
    [directories.getM3u, m3u],
    [directories.getPls, pls],
    [directories.getXspf, xspf],
  ] as const) {
    const fileName = route.path.slice(1)
    implement(
      app,
      route,
      ({ request, reply }) => {
        const now: NowPlaying = snapshots.now().replyFor(origins.ownOrigin(request.raw))
        if (now.streams.length === 0) throw new Failure('STREAM_OFF')
        return reply
          .type(`${route.reply.bytes}; charset=utf-8`)
          .header('cache-control', cached)
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .send(write(now))
      },
      options,
    )
  }

  implement(
    app,
    directories.getIcecastStatus,
    ({ query, request, reply }) => {
      reply.header('cache-control', cached)
      return icecastStatus(snapshots.now().replyFor(origins.ownOrigin(request.raw)), {
        directory: settings.directory(),
        audiences,
        hasSound: mirror.isFresh(clock.nowMs()),
        mount: query.mount,
      })
    },
    options,
  )
}
