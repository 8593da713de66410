import type { Metrics } from '@solstice/adapters'

/** Values that the worker keeps for its metrics. */
export interface WorkerMetrics {
  isOnAir: boolean
  /** Encoders that died or hung. */
  encodersReplaced: number
  /** Tracks and jingles left because they gave no sound. */
  blanksLeft: number
}

export function registerMetrics(registry: Metrics): WorkerMetrics {
  const metrics: WorkerMetrics = { isOnAir: false, encodersReplaced: 0, blanksLeft: 0 }
  registry.gauge({ name: 'solstice_worker_on_air', help: '1 at the worker that holds the lease' }, () =>
    metrics.isOnAir ? 1 : 0,
  )
  registry.counter(
    { name: 'solstice_encoder_restarts_total', help: 'Encoders that died or hung and were replaced' },
    () => metrics.encodersReplaced,
  )
  registry.counter(
    { name: 'solstice_stream_silences_total', help: 'Songs and jingles left after 8 s without any sound' },
    () => metrics.blanksLeft,
  )
  return metrics
}
