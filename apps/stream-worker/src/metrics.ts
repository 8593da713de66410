import type { Metrics } from '@solstice/adapters'

/** Values behind the metrics of the worker. */
export interface WorkerMetrics {
  isOnAir: boolean
  /** Encoder processes replaced because they died or hung. */
  encodersReplaced: number
  /** Tracks and jingles skipped because they were silent. */
  blanksLeft: number
}

export function registerMetrics(registry: Metrics): WorkerMetrics {
  const metrics: WorkerMetrics = { isOnAir: false, encodersReplaced: 0, blanksLeft: 0 }
  registry.gauge(
    { name: 'solstice_worker_on_air', help: '1 if this worker holds the lease, otherwise 0' },
    () => (metrics.isOnAir ? 1 : 0),
  )
  registry.counter(
    { name: 'solstice_encoder_restarts_total', help: 'Encoder processes replaced because they died or hung' },
    () => metrics.encodersReplaced,
  )
  registry.counter(
    { name: 'solstice_stream_silences_total', help: 'Songs and jingles skipped after 8 s of silence' },
    () => metrics.blanksLeft,
  )
  return metrics
}
