import type { Config, Metrics } from '@solstice/adapters'
import { type Mount, type MountId, mountId } from '@solstice/station'

/** Values behind the metrics of the worker. */
export interface WorkerMetrics {
  isOnAir: boolean
  /** Encoder processes of each mount replaced because they died or hung. */
  readonly encodersReplaced: Map<MountId, number>
  /** Tracks and jingles skipped because they were silent. */
  blanksLeft: number
}

export function registerMetrics(
  registry: Metrics,
  { streamBitrate, otherMounts }: Pick<Config, 'streamBitrate' | 'otherMounts'>,
): WorkerMetrics {
  const mounts: readonly Mount[] = [{ codec: 'mp3', bitrate: streamBitrate }, ...otherMounts]
  const encodersReplaced = new Map(mounts.map((mount) => [mountId(mount), 0] as const))
  const metrics: WorkerMetrics = { isOnAir: false, encodersReplaced, blanksLeft: 0 }
  registry.gauge(
    { name: 'solstice_worker_on_air', help: '1 if this worker holds the lease, otherwise 0' },
    () => (metrics.isOnAir ? 1 : 0),
  )
  registry.counter(
    {
      name: 'solstice_encoder_restarts_total',
      help: 'Encoder processes of each mount replaced because they died or hung',
      labels: ['mount'],
    },
    () => [...encodersReplaced].map(([mount, value]) => ({ labels: { mount }, value })),
  )
  registry.counter(
    { name: 'solstice_stream_silences_total', help: 'Songs and jingles skipped after 8 s of silence' },
    () => metrics.blanksLeft,
  )
  return metrics
}
