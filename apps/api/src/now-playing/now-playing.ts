import type { Socket } from 'node:net'
import { AUDIENCE_CHANNEL, type ReplicaLink } from '@solstice/adapters'
import { type Mount, mountId } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { createAudibleAir } from '../air/audible.ts'
import type { PlaylistListeners } from '../hls/listeners.ts'
import type { Origins } from '../limits/client-address.ts'
import type { AirMirror } from '../stream/mirror.ts'
import { type Audience, openAudience } from './audience.ts'
import { createNowPlayingEvents, type NowPlayingEvents } from './events.ts'
import { createSnapshots, type SnapshotDeps, type Snapshots } from './snapshots.ts'

export interface NowPlayingDeps extends Omit<SnapshotDeps, 'air' | 'audience'> {
  config: SnapshotDeps['config'] & { trustProxyHops: number }
  mirror: AirMirror
  link: ReplicaLink
  origins: Pick<Origins, 'ownOrigin'>
  /** Number of listeners of this replica. */
  listeners: () => number
  /** The same for each mount, the first one first. */
  listenersByMount: readonly (() => number)[]
  hlsListeners: Pick<PlaylistListeners, 'of' | 'size'>
  /** Called with each connection taken over from HTTP. */
  onTaken: (socket: Socket) => void
}

/** Follows what is on air, for other sites and programs, until the app closes. */
export function openNowPlaying(
  app: FastifyInstance,
  deps: NowPlayingDeps,
): { snapshots: Snapshots; events: NowPlayingEvents; audiences: readonly Audience[] } {
  const air = createAudibleAir(deps.mirror, deps.clock)
  const { link, listeners, hlsListeners, clock } = deps
  const audience = openAudience({
    ...{ channel: link.channel(AUDIENCE_CHANNEL), own: listeners, clock },
    common: () => hlsListeners.size,
  })
  // The only mount has the whole audience. A replica with other mounts may stand beside this one during an upgrade.
  const audiences =
    deps.listenersByMount.length === 1
      ? [audience]
      : deps.listenersByMount.map((own, i) => {
          const first: Mount = { codec: 'mp3', bitrate: deps.config.streamBitrate }
          const mount = mountId(i === 0 ? first : deps.config.otherMounts[i - 1]!)
          return openAudience({
            channel: link.channel(`${AUDIENCE_CHANNEL}:${i === 0 ? 'first' : mount}`),
            own,
            common: () => hlsListeners.of(mount),
            clock,
          })
        })
  const snapshots = createSnapshots({ ...deps, air, audience: () => audience.size })
  const events = createNowPlayingEvents({ ...deps, snapshots, air })
  app.addHook('preClose', async () => events.close())
  app.addHook('onClose', async () => {
    for (const one of new Set([audience, ...audiences])) one.close()
    air.close()
  })
  return { snapshots, events, audiences }
}
